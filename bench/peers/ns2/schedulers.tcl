# Eight classes of periodic flows, of 160 and of 1500 bytes, offer 1.2 times what 1 Gb/s carries: under a FIFO queue of 800
# packets, or one of 100 for each class, by priority or in turn by packets (dsRED is ns-2's only port with queues by class).
source [file join [file dirname [info script]] lean.tcl]
settings {scheduler_of_classes fifo until 2 exact 0} $argv

remove-all-packet-headers
add-packet-header IP Flags RTP
set ns [simulator]
set a [$ns node]
set b [$ns node]
set kind [expr {$opt(scheduler_of_classes) eq "fifo" ? "DropTail" : "dsRED/core"}]
$ns simplex-link $a $b 1Gb 10ms $kind
$ns queue-limit $a $b [expr {$kind eq "DropTail" ? 800 : 100}]
set link [$ns link $a $b]
if {$kind ne "DropTail"} {
    set queue [$link queue]
    $queue setSchedularMode [dict get {priority PRI wrr WRR} $opt(scheduler_of_classes)]
    $queue meanPktSize 1000
    $queue set numQueues_ 8
    $queue setNumPrec 1
    for {set i 0} {$i < 8} {incr i} {
        # No early drops: the thresholds are beyond the limit.
        $queue setMREDMode DROP $i
        $queue configQ $i 0 100 1000 2000 0.1
        $queue addPHBEntry [expr {10 + $i}] $i 0
        if {$opt(scheduler_of_classes) eq "wrr"} { $queue addQueueWeights $i 1 }
    }
}
set drops [count_drops $link]
if {$opt(exact)} { set arrivals [count_arrivals $link] }

set small {}
set large {}
for {set class 0} {$class < 8} {incr class} {
    set small [concat $small [periodic_flows $ns $a $b 50 1 160 1500000 [expr {10 + $class}]]]
    set large [concat $large [periodic_flows $ns $a $b 50 1 1500 1500000 [expr {10 + $class}]]]
}

$ns at $opt(until) {
    set delivered [sum [concat $small $large] npkts_]
    set hops [expr {$opt(exact) ? [$arrivals set pdepartures_] : $delivered}]
    result packet_hops=$hops delivered=$delivered drops=[$drops set pdrops_] \
        goodput=[expr {[goodput $small $opt(until) 160] + [goodput $large $opt(until) 1500]}]
}
$ns run
