# A thousand transfers over 1 Gb/s: flow i runs from access node i mod 40.
set here [file dirname [info script]]
source [file join $here lean.tcl]
settings {
    flows 1000 nodes 40 access 10Gb bottleneck 1Gb rtt 0.050 buffer 4166 starts 1.0 until 10 exact 0
} $argv
source [file join $here dumbbell.tcl]
