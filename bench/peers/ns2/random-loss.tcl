# One TCP transfer over a link that loses each packet with the same probability; its queues never overflow.
#
# variant: Tahoe, Reno, Newreno or Sack1. whole_halves: half a window is rounded down to whole segments, as before 2006.
set here [file dirname [info script]]
source [file join $here lean.tcl]
settings {
    variant Newreno loss 0.01 rate 100Mb delay 50ms until 2050 warm_up 50 tick 0.001 initial_window 10 bug_fix 1 less_careful 0
    whole_halves 0 limited_transmit 1 delayed_ack 0
} $argv

remove-all-packet-headers
add-packet-header IP TCP Flags

# As in Penstock's scenario of random_loss.py: first timeout of 1 s, then 1 to 60 s; no SYN; the maximum window is never reached.
Agent/TCP set packetSize_ 1500
Agent/TCP set useHeaders_ false
Agent/TCP set syn_ false
Agent/TCP set window_ 100000
Agent/TCP set windowInit_ $opt(initial_window)
Agent/TCP set singledup_ $opt(limited_transmit)
Agent/TCP set bugFix_ $opt(bug_fix)
Agent/TCP set lessCareful_ $opt(less_careful)
Agent/TCP set precisionReduce_ [expr {!$opt(whole_halves)}]
Agent/TCP set tcpTick_ $opt(tick)
Agent/TCP set rtxcur_init_ 1
Agent/TCP set minrto_ 1
Agent/TCP set maxrto_ 60
Agent/TCPSink set packetSize_ 40

set ns [simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $opt(rate) $opt(delay) DropTail
$ns queue-limit $left $right 1000000
$ns queue-limit $right $left 1000000

set numbers [new RandomVariable/Uniform]
$numbers use-rng $uniform
set losses [new ErrorModel]
$losses unit pkt
$losses set rate_ $opt(loss)
$losses ranvar $numbers
$losses drop-target [new Agent/Null]
$ns lossmodel $losses $left $right

set tcp [new [expr {$opt(variant) eq "Tahoe" ? "Agent/TCP" : "Agent/TCP/$opt(variant)"}]]
set sink "Agent/TCPSink"
if {$opt(variant) eq "Sack1"} { append sink "/Sack1" }
if {$opt(delayed_ack)} { append sink "/DelAck" }
set sink [new $sink]
$ns attach-agent $left $tcp
$ns attach-agent $right $sink
$ns connect $tcp $sink
$ns at 0 "$tcp send -1"

set before 0
$ns at $opt(warm_up) { set before [$tcp set ack_] }
$ns at $opt(until) {
    set acknowledged [expr {[$tcp set ack_] - $before}]
    result packet_hops=[expr {2 * ($acknowledged + $before)}] acknowledged=$acknowledged timeouts=[$tcp set nrexmit_] sent_again=[$tcp set nrexmitpack_]
}
$ns run
