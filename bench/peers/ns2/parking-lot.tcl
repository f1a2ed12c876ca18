# Five links in a row: periodic flows through all of them and as many over each one, tail drop of 1,000 packets.
source [file join [file dirname [info script]] lean.tcl]
settings {seed 1 flows 500 links 5 until 20 exact 0} $argv

remove-all-packet-headers
add-packet-header IP Flags RTP
set ns [new Simulator]
set node(0) [$ns node]
set links {}
for {set i 1} {$i <= $opt(links)} {incr i} {
    set node($i) [$ns node]
    set from $node([expr {$i - 1}])
    $ns simplex-link $from $node($i) 128Mb 1ms DropTail
    $ns queue-limit $from $node($i) 1000
    lappend links [$ns link $from $node($i)]
}
set drops [count_drops $links]
if {$opt(exact)} { set arrivals [count_arrivals $links] }

# Starts the flows from one node to another and returns their sinks.
proc flows {from to} {
    global ns opt
    set sinks {}
    for {set i 0} {$i < $opt(flows)} {incr i} {
        set udp [new Agent/UDP]
        set sink [new Agent/LossMonitor]
        $ns attach-agent $from $udp
        $ns attach-agent $to $sink
        $ns connect $udp $sink
        set cbr [new Application/Traffic/CBR]
        $cbr set packetSize_ 160
        $cbr set rate_ 64000
        $cbr attach-agent $udp
        $ns at [draw 0.02] "$cbr start"
        lappend sinks $sink
    }
    return $sinks
}

set through [flows $node(0) $node($opt(links))]
set across {}
for {set i 1} {$i <= $opt(links)} {incr i} {
    set across [concat $across [flows $node([expr {$i - 1}]) $node($i)]]
}

# Packets of the long flows that are between two links at the end are left out of the count: one in 20,000.
$ns at $opt(until) {
    set whole [sum $through npkts_]
    set single [sum $across npkts_]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : $whole * $opt(links) + $single}]
    set bytes [expr {[sum $through bytes_] + [sum $across bytes_]}]
    result packet_hops=$hops delivered=[expr {$whole + $single}] drops=[$drops set pdrops_] \
        goodput=[expr {8.0 * $bytes / $opt(until)}]
}
$ns run
