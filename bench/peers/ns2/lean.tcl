# Shared by the workloads: the fastest scheduler, periodic flows, counters without cost per packet, one line of results.
#
# A packet-hop is one packet, data or ACK, that has reached the far end of one link.

# Of ns-2's schedulers the splay tree is the fastest over these workloads; the calendar queue, its default, comes next.
proc simulator {} {
    set ns [new Simulator]
    $ns use-scheduler $::opt(scheduler)
    return $ns
}

# Settings from the command line, as name=value, over the script's defaults.
proc settings {defaults argv} {
    upvar #0 opt opt
    array set opt $defaults
    array set opt {seed 1 scheduler Splay}
    foreach pair $argv {
        lassign [split $pair =] name value
        if {![info exists opt($name)]} { error "unknown setting '$name'; known: [lsort [array names opt]]" }
        set opt($name) $value
    }
    set ::uniform [new RNG]
    $::uniform seed $opt(seed)
    ns-random [expr {$opt(seed) + 1000}]
}

# A number in [0, below) from a generator of our own, so that start times do not depend on the draws of queues.
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
# used to verify counts from end-host counters, never while time is measured.
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

# Starts `count` periodic flows of `rate` bit/s in packets of `size` bytes (by default 160 each 20 ms) from one node to
# another, with packets marked with `code`; returns the sinks that count them.
#
# Each flow has an agent and a sink of its own, so that it is counted separately, as in Penstock. With `own_agents` 0,
# the flows between two nodes share one agent and one sink: less work and fewer counts, but the same packets on the
# links. Creating an agent costs 0.15 ms, more than a flow's packets of one second.
proc periodic_flows {ns from to count own_agents {size 160} {rate 64000} {code 0}} {
    set sinks {}
    for {set i 0} {$i < $count} {incr i} {
        if {$i == 0 || $own_agents} {
            set udp [new Agent/UDP]
            $udp set packetSize_ 1500
            $udp set prio_ $code
            set sink [new Agent/LossMonitor]
            $ns attach-agent $from $udp
            $ns attach-agent $to $sink
            $ns connect $udp $sink
            lappend sinks $sink
        }
        set cbr [new Application/Traffic/CBR]
        $cbr set packetSize_ $size
        $cbr set rate_ $rate
        $cbr attach-agent $udp
        $ns at [draw [expr {8.0 * $size / $rate}]] "$cbr start"
    }
    return $sinks
}

# Payload in bit/s: packets have 28 bytes of headers.
proc goodput {sinks seconds {size 160}} { return [expr {8.0 * [sum $sinks bytes_] * ($size - 28) / $size / $seconds}] }

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
