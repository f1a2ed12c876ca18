# Periodic sources over one link: 160 bytes each 20 ms at random phases, tail drop of 1,000 packets.
source [file join [file dirname [info script]] lean.tcl]
settings {seed 1 flows 1000 until 60 exact 0} $argv

remove-all-packet-headers
add-packet-header IP Flags RTP
set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b 128Mb 10ms DropTail
$ns queue-limit $a $b 1000
set link [$ns link $a $b]
set drops [count_drops $link]
if {$opt(exact)} { set arrivals [count_arrivals $link] }

set sinks {}
for {set i 0} {$i < $opt(flows)} {incr i} {
    set udp [new Agent/UDP]
    set sink [new Agent/LossMonitor]
    $ns attach-agent $a $udp
    $ns attach-agent $b $sink
    $ns connect $udp $sink
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ 160
    $cbr set rate_ 64000
    $cbr attach-agent $udp
    $ns at [draw 0.02] "$cbr start"
    lappend sinks $sink
}

$ns at $opt(until) {
    set delivered [sum $sinks npkts_]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : $delivered}]
    result packet_hops=$hops delivered=$delivered drops=[$drops set pdrops_] \
        goodput=[expr {8.0 * [sum $sinks bytes_] / $opt(until)}]
}
$ns run
