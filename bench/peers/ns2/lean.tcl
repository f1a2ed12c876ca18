# What the workloads share: few headers, counters that cost nothing per packet, one line of results.
#
# A packet-hop is one packet, data or ACK, that has reached the far end of one link.

# Settings from the command line, as name=value, over the script's defaults.
proc settings {defaults argv} {
    upvar #0 opt opt
    array set opt $defaults
    foreach pair $argv {
        lassign [split $pair =] name value
        if {![info exists opt($name)]} { error "unknown setting '$name'; known: [lsort [array names opt]]" }
        set opt($name) $value
    }
    set ::uniform [new RNG]
    $::uniform seed $opt(seed)
    ns-random [expr {$opt(seed) + 1000}]
}

# A number in [0, below) from a generator of our own, so that start times do not depend on what a queue draws.
proc draw {below} { return [$::uniform uniform 0 $below] }

# One monitor counts the drops of all links given to it; it sees dropped packets only.
proc count_drops {links} {
    set monitor [new QueueMonitor]
    foreach link $links {
        set snoop [new SnoopQueue/Drop]
        $snoop set-monitor $monitor
        $snoop target [[Simulator instance] set nullAgent_]
        [$link set drophead_] target $snoop
    }
    return $monitor
}

# One monitor counts the packets that reach the far end of the links given to it. It sees every packet:
# used to verify the counts made from end-host counters, never while time is taken.
proc count_arrivals {links} {
    set monitor [new QueueMonitor]
    foreach link $links {
        set snoop [new SnoopQueue/Out]
        $snoop set-monitor $monitor
        set last [$link set ttl_]
        $snoop target [$last target]
        $last target $snoop
    }
    return $monitor
}

proc sum {objects counter} {
    set total 0
    foreach object $objects { set total [expr {$total + [$object set $counter]}] }
    return $total
}

proc result {args} {
    puts [join $args " "]
    flush stdout
    exit 0
}
