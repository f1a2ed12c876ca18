# TCP over a dumbbell: access nodes a side, one bottleneck, NewReno with an ACK for every packet.
# Sourced by tcp-bulk.tcl and tcp-many.tcl, which set its size.

remove-all-packet-headers
add-packet-header IP TCP Flags

# ns-2 would add a header of 40 bytes to every packet but number 0, which is the SYN even when there is none.
Agent/TCP set packetSize_ 1500
Agent/TCP set useHeaders_ false
Agent/TCP set window_ 256
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ 0.2
Agent/TCP set syn_ false
Agent/TCP set singledup_ 0
Agent/TCPSink set packetSize_ 40

set ns [simulator]
set left [$ns node]
set right [$ns node]

# DropTail refuses a packet when one more would fill its limit, and does not count the packet on the wire:
# a limit of n allows n - 1 waiting and one being sent, n in all.
proc two_way {a b rate delay limit} {
    global ns links
    $ns duplex-link $a $b $rate $delay DropTail
    foreach {from to} [list $a $b $b $a] {
        $ns queue-limit $from $to $limit
        lappend links [$ns link $from $to]
    }
}

set links {}
two_way $left $right $opt(bottleneck) [expr {0.48 * $opt(rtt)}] 100000
$ns queue-limit $left $right $opt(buffer)
for {set i 0} {$i < $opt(nodes)} {incr i} {
    set source($i) [$ns node]
    set receiver($i) [$ns node]
    two_way $source($i) $left $opt(access) [expr {0.01 * $opt(rtt)}] 100000
    two_way $right $receiver($i) $opt(access) [expr {0.01 * $opt(rtt)}] 100000
}
set drops [count_drops $links]
if {$opt(exact)} { set arrivals [count_arrivals $links] }

set senders {}
set sinks {}
for {set i 0} {$i < $opt(flows)} {incr i} {
    set at [expr {$i % $opt(nodes)}]
    set tcp [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $source($at) $tcp
    $ns attach-agent $receiver($at) $sink
    $ns connect $tcp $sink
    $ns at [draw $opt(starts)] "$tcp send -1"
    lappend senders $tcp
    lappend sinks $sink
}

# Every ACK that came back stands for three hops forth and three back; every dropped packet made one.
# Packets in flight at the end are left out: less than one round trip.
$ns at $opt(until) {
    set acks [sum $senders nackpack_]
    set dropped [$drops set pdrops_]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : 6 * $acks + $dropped}]
    set payload [expr {[sum $sinks bytes_] * 1460.0 / 1500}]
    result packet_hops=$hops delivered=$acks drops=$dropped goodput=[expr {8 * $payload / $opt(until)}]
}
$ns run
