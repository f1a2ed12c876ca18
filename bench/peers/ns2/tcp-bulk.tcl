# Forty bulk transfers over 10 Gb/s: the round trip is short, windows are large.
set here [file dirname [info script]]
source [file join $here lean.tcl]
settings {
    flows 40 nodes 40 access 40Gb bottleneck 10Gb rtt 0.001 buffer 833 starts 0.1 until 2 exact 0
} $argv
source [file join $here dumbbell.tcl]
