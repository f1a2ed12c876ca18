# Assured forwarding, 45 TCP and 5 UDP flows through five markers into one link of 1.5 Mb/s [Goyal99 s2].
# Prints the drops at both places and, per flow, the packets of 576 bytes that reached the receiver.
source [file join [file dirname [info script]] lean.tcl]
settings {
    until 100.1 exact 0
    udp 128000 precedences 2 cir 256000 bucket 8000 bucket_unit bytes
    variant Reno window 64 initial_window 1 tick 0.1 min_rto 1 initial_rto 6 max_rto 64 rfc2988 0
    delayed_ack 0 first_ack_at_once 1 limited_transmit 0 syn 0 modern_fixes 1
    tcp_starts 1.0 udp_starts 1.0 udp_random 0 overhead 0
    gentle 0 wait 1 weight 0.002 mean_packet 576 averages coupled
    limit 60 entry_limit 60 entry_rate 1.5Mb per_flow 1
} $argv

remove-all-packet-headers
add-packet-header IP TCP Flags RTP
set ns [simulator]

# ns-2 would add a header of 40 bytes to every packet but number 0, which is the SYN even when there is none.
Agent/TCP set packetSize_ 576
Agent/TCP set useHeaders_ false
Agent/TCP set window_ $opt(window)
Agent/TCP set windowInit_ $opt(initial_window)
Agent/TCP set tcpTick_ $opt(tick)
Agent/TCP set minrto_ $opt(min_rto)
Agent/TCP set maxrto_ $opt(max_rto)
Agent/TCP set rtxcur_init_ $opt(initial_rto)
Agent/TCP set rfc2988_ $opt(rfc2988)
Agent/TCP set singledup_ $opt(limited_transmit)
Agent/TCP set syn_ $opt(syn)
Agent/TCP set overhead_ $opt(overhead)
# Repairs made to ns-2 between 2001 and 2006, on or off together.
foreach flag {timerfix_ bugfix_ss_ restart_bugfix_ precisionReduce_ exitFastRetrans_ updated_rttvar_} {
    Agent/TCP set $flag $opt(modern_fixes)
}
Agent/TCPSink set packetSize_ 40
# Packet 0 stands for the SYN, even when there is none.
Agent/TCPSink set SYN_immediate_ack_ $opt(first_ack_at_once)

# Queue/RED: packets, not bytes; use_mark_p_ would turn a forced drop into an early one.
foreach {name value} [list bytes_ false queue_in_bytes_ false thresh_ 20 maxthresh_ 40 linterm_ 30 \
        gentle_ $opt(gentle) wait_ $opt(wait) q_weight_ $opt(weight) mean_pktsize_ $opt(mean_packet) \
        use_mark_p_ false] {
    Queue/RED set $name $value
}
Queue/dsRED set numQueues_ 1

proc link {a b rate delay kind} {
    global ns opt links
    $ns simplex-link $a $b $rate $delay $kind
    $ns queue-limit $a $b $opt(limit)
    set link [$ns link $a $b]
    lappend links $link
    return $link
}

# Thresholds and drop probabilities per precedence, the averages over precedences 0..i (coupled).
proc red_n {queue limit thresholds} {
    global opt
    $queue set limit_ $limit
    $queue meanPktSize $opt(mean_packet)
    $queue set numQueues_ 1
    $queue setNumPrec 2
    $queue setMREDMode [dict get {coupled RIO-C separate RIO-D total WRED} $opt(averages)] 0
    $queue addPHBEntry 10 0 0
    $queue addPHBEntry 11 0 1
    foreach precedence {0 1} max_p [list [expr {1.0 / 30}] [expr {1.0 / 20}]] {
        eval $queue configQ 0 $precedence $thresholds $max_p $opt(weight)
    }
}

# The meters of dsRED do not look at the mark that a packet brings. UDP packets are therefore given a policy
# of their own that always says "precedence 1", and never touch the bucket: the colour-aware rule.
proc marker {queue udp_node} {
    global opt
    set bytes [expr {$opt(bucket_unit) eq "bits" ? $opt(bucket) / 8.0 : $opt(bucket)}]
    # No early drops here, and room for as many packets as in a DropTail of the same limit.
    red_n $queue [expr {$opt(entry_limit) - 1}] {1000 2000}
    $queue addPolicyEntry [$udp_node id] -1 Dumb 11
    $queue addPolicyEntry -1 -1 TokenBucket 10 $opt(cir) $bytes
    $queue addPolicerEntry Dumb 11 11
    $queue addPolicerEntry TokenBucket 10 11
}

set marking [expr {$opt(precedences) == 2}]
set r1 [$ns node]
set r2 [$ns node]
set core [link $r1 $r2 1.5Mb 30ms [expr {$marking ? "dsRED/core" : "RED"}]]
if {$marking} { red_n [$core queue] $opt(limit) {20 40} }
link $r2 $r1 1.5Mb 30ms DropTail

set entries {}
for {set g 0} {$g < 5} {incr g} {
    set access [$ns node]
    set entry [link $access $r1 $opt(entry_rate) 5us [expr {$marking ? "dsRED/edge" : "DropTail"}]]
    link $r1 $access 1.5Mb 5us DropTail
    for {set k 1} {$k <= 10} {incr k} {
        set i [expr {10 * $g + $k}]
        set src($i) [$ns node]
        set snk($i) [$ns node]
        link $src($i) $access 10Mb 1us DropTail
        link $access $src($i) 10Mb 1us DropTail
        set last($i) [link $r2 $snk($i) 1.5Mb 5us DropTail]
        link $snk($i) $r2 1.5Mb 5us DropTail
    }
    $ns queue-limit $access $r1 $opt(entry_limit)
    if {$marking} { marker [$entry queue] $src([expr {10 * $g + 10}]) }
    lappend entries $entry
}
set entry_drops [count_drops $entries]
set core_drops [count_drops $core]

set senders {}
set tcp_sinks {}
set udp_links {}
for {set i 1} {$i <= 50} {incr i} {
    if {$i % 10 == 0} {
        set udp [new Agent/UDP]
        set sink [new Agent/Null]           ;# a LossMonitor would call Tcl for every gap
        set cbr [new Application/Traffic/CBR]
        $cbr set packetSize_ 576
        $cbr set rate_ $opt(udp)
        $cbr set random_ $opt(udp_random)
        $cbr attach-agent $udp
        $ns attach-agent $src($i) $udp
        $ns attach-agent $snk($i) $sink
        $ns connect $udp $sink
        $ns at [draw $opt(udp_starts)] "$cbr start"
        lappend udp_links $last($i)
    } else {
        set tcp [new Agent/TCP/$opt(variant)]
        set sink [new Agent/TCPSink[expr {$opt(delayed_ack) ? "/DelAck" : ""}]]
        $ns attach-agent $src($i) $tcp
        $ns attach-agent $snk($i) $sink
        $ns connect $tcp $sink
        $ns at [draw $opt(tcp_starts)] "$tcp send -1"
        lappend senders $tcp
        lappend tcp_sinks $sink
    }
    if {$opt(per_flow)} { set received($i) [count_arrivals $last($i)] }
}
set udp_received [count_arrivals $udp_links]
if {$opt(exact)} { set arrivals [count_arrivals $links] }

# A packet that arrived and was acknowledged counts four hops forth and four back; a dropped packet counts one or two. With
# delayed ACKs this is wrong, and only the exact count is right.
$ns at $opt(until) {
    set early [$entry_drops set pdrops_]
    set late [$core_drops set pdrops_]
    set acks [sum $senders nackpack_]
    set datagrams [$udp_received set pdepartures_]
    set estimate [expr {8 * $acks + 4 * $datagrams + $early + 2 * $late}]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : $estimate}]
    set payload [expr {[sum $tcp_sinks bytes_] * 536.0 / 576 + $datagrams * 548.0}]
    set line [list packet_hops=$hops delivered=[expr {$acks + $datagrams}] drops=[expr {$early + $late}] \
        goodput=[expr {8 * $payload / $opt(until)}] entry_drops=$early core_drops=$late]
    if {$opt(per_flow)} {
        for {set i 1} {$i <= 50} {incr i} { lappend counts [$received($i) set pdepartures_] }
        set bytes 0
        for {set i 1} {$i <= 50} {incr i} { set bytes [expr {$bytes + [$received($i) set bdepartures_]}] }
        lappend line bytes=$bytes packets=[join $counts ,]
    }
    eval result $line
}
$ns run
