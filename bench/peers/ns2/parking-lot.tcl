# Five links in a row: periodic flows through all of them and as many over each one, tail drop of 1,000 packets.
source [file join [file dirname [info script]] lean.tcl]
settings {flows 500 links 5 until 20 own_agents 1 exact 0} $argv

remove-all-packet-headers
add-packet-header IP Flags RTP
set ns [simulator]
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

set through [periodic_flows $ns $node(0) $node($opt(links)) $opt(flows) $opt(own_agents)]
set across {}
for {set i 1} {$i <= $opt(links)} {incr i} {
    set sinks [periodic_flows $ns $node([expr {$i - 1}]) $node($i) $opt(flows) $opt(own_agents)]
    set across [concat $across $sinks]
}

# Packets of the long flows that are between two links at the end are left out of the count: one in 20,000.
$ns at $opt(until) {
    set whole [sum $through npkts_]
    set single [sum $across npkts_]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : $whole * $opt(links) + $single}]
    result packet_hops=$hops delivered=[expr {$whole + $single}] drops=[$drops set pdrops_] \
        goodput=[goodput [concat $through $across] $opt(until)]
}
$ns run
