# One TCP transfer that loses given packets of a window; the sender's packets are written to a file.
#
# losses: numbers of the packets that are lost, from 0. variant: Reno, Newreno, Sack1 or Vegas.
set here [file dirname [info script]]
source [file join $here lean.tcl]
settings {losses {} until 4 window 30 output segments.tr variant Sack1 limited_transmit 0 bug_fix 1} $argv

Agent/TCP set packetSize_ 1500
Agent/TCP set useHeaders_ false
Agent/TCP set syn_ false
Agent/TCP set window_ $opt(window)
Agent/TCP set windowInit_ 10
Agent/TCP set singledup_ $opt(limited_transmit)
Agent/TCP set bugFix_ $opt(bug_fix)
Agent/TCP set precisionReduce_ 0
Agent/TCP set tcpTick_ 0.001
Agent/TCP set rtxcur_init_ 1
Agent/TCP set minrto_ 1
Agent/TCP set maxrto_ 60
Agent/TCPSink set packetSize_ 40

set ns [simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 100Mb 50ms DropTail
$ns queue-limit $left $right 1000000
$ns queue-limit $right $left 1000000
set losses [new ErrorModel/List]
$losses droplist $opt(losses)
$losses drop-target [new Agent/Null]
$ns lossmodel $losses $left $right
set output [open $opt(output) w]
$ns trace-queue $left $right $output

set tcp [new Agent/TCP/$opt(variant)]
set sink [new [expr {$opt(variant) eq "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]]
$ns attach-agent $left $tcp
$ns attach-agent $right $sink
$ns connect $tcp $sink
$ns at 0 "$tcp send -1"
$ns at $opt(until) "close $output; exit 0"
$ns run
