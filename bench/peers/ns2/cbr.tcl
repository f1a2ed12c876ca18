# Periodic sources over one link: 160 bytes each 20 ms at random phases, tail drop of 1,000 packets.
source [file join [file dirname [info script]] lean.tcl]
settings {flows 1000 until 60 own_agents 1 exact 0} $argv

remove-all-packet-headers
add-packet-header IP Flags RTP
set ns [simulator]
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b 128Mb 10ms DropTail
$ns queue-limit $a $b 1000
set link [$ns link $a $b]
set drops [count_drops $link]
if {$opt(exact)} { set arrivals [count_arrivals $link] }
set sinks [periodic_flows $ns $a $b $opt(flows) $opt(own_agents)]

$ns at $opt(until) {
    set delivered [sum $sinks npkts_]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : $delivered}]
    result packet_hops=$hops delivered=$delivered drops=[$drops set pdrops_] \
        goodput=[goodput $sinks $opt(until)]
}
$ns run
