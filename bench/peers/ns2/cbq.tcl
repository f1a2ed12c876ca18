# Classes under class-based queueing, each with a load of 1.2 times the link's rate: the share of the link that each gets.
source [file join [file dirname [info script]] lean.tcl]
settings {kind CBQ/WRR shares {0.5 0.3 0.1} sizes {1500 300 64} okborrow 0 rate 1000000 from 10 until 200} $argv

remove-all-packet-headers
add-packet-header IP Flags RTP
set ns [simulator]
set a [$ns node]
set b [$ns node]
Queue/CBQ set maxpkt_ 1500
$ns simplex-link $a $b $opt(rate) 1ms $opt(kind)
set link [$ns link $a $b]
[$link queue] algorithm formal

set root [new CBQClass]
$root setparams none 0 1.0 auto 8 2 0
$link insert $root
set sinks {}
foreach share $opt(shares) size $opt(sizes) {
    set code [expr {[llength $sinks] + 1}]
    set queue [new Queue/DropTail]
    $queue set limit_ 200
    set class [new CBQClass]
    $class install-queue $queue
    $class setparams $root $opt(okborrow) $share auto 1 1 0
    $link insert $class
    $link bind $class $code

    set agent [new Agent/UDP]
    $agent set packetSize_ 1500
    $agent set fid_ $code
    $ns attach-agent $a $agent
    set sink [new Agent/LossMonitor]
    $ns attach-agent $b $sink
    $ns connect $agent $sink
    set traffic [new Application/Traffic/CBR]
    $traffic set packetSize_ $size
    $traffic set rate_ [expr {1.2 * $opt(rate)}]
    $traffic set random_ 1
    $traffic attach-agent $agent
    $ns at 0 "$traffic start"
    lappend sinks $sink
}

$ns at $opt(from) { foreach sink $sinks { $sink set bytes_ 0 } }
$ns at $opt(until) {
    set values {}
    foreach sink $sinks {
        lappend values [format %.4f [expr {8.0 * [$sink set bytes_] / ($opt(rate) * ($opt(until) - $opt(from)))}]]
    }
    result shares=[join $values ,]
}
$ns run
