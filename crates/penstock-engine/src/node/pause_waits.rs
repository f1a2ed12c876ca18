//! Deadlocks: pauses that never end because they wait for each other in a cycle.

use crate::api::observations::PausedIngress;
use penstock_model::buffer::Held;
use std::collections::{BTreeMap, BTreeSet};

/// A pause at the end of a run, and the bytes of its packets that wait behind other pauses.
#[derive(Clone, Debug)]
pub struct PauseWait {
    /// The ingress link, or its class, that is paused.
    pub paused: PausedIngress,
    /// Maximum number of held bytes at which the pause ends, if the headroom is empty too.
    pub xon: u64,
    /// Memory held now.
    pub held: Held,
    /// Part of `held` in the headroom, which is freed first.
    pub headroom: Held,
    /// Bytes that wait at the ports of other links, by the pauses that hold them there.
    pub behind: BTreeMap<Vec<PausedIngress>, u64>,
}

/// Returns a cycle of pauses that never end, each because packets wait behind the next one; empty if all can end.
///
/// Finds the largest set whose pauses would all remain if every packet left that waits behind none of them. Pauses outside this set can
/// end. A pause of the set cannot end before another one of the set does.
pub fn find_deadlock(waits: &[PauseWait]) -> Vec<PausedIngress> {
    let mut stuck: BTreeMap<PausedIngress, &PauseWait> = waits.iter().map(|wait| (wait.paused, wait)).collect();
    loop {
        let is_stuck = |pauses: &[PausedIngress]| pauses.iter().any(|pause| stuck.contains_key(pause));
        // A pause remains if the stuck bytes alone keep it above its threshold or in the headroom.
        let stays = |wait: &PauseWait| {
            let stuck_bytes: u64 = wait.behind.iter().filter(|(pauses, _)| is_stuck(pauses)).map(|(_, bytes)| bytes).sum();
            stuck_bytes > wait.xon || wait.held.bytes - stuck_bytes < wait.headroom.bytes
        };
        let lifting: Vec<PausedIngress> = stuck.iter().filter(|(_, wait)| !stays(wait)).map(|(paused, _)| *paused).collect();
        if lifting.is_empty() {
            break;
        }
        lifting.iter().for_each(|paused| {
            stuck.remove(paused);
        });
    }
    circle(&stuck)
}

/// Returns a cycle among pauses, if each waits for another one of them.
fn circle(stuck: &BTreeMap<PausedIngress, &PauseWait>) -> Vec<PausedIngress> {
    let next = |paused: &PausedIngress| stuck[paused].behind.keys().flatten().find(|next| stuck.contains_key(next)).copied();
    let (mut path, mut seen) = (Vec::new(), BTreeSet::new());
    let mut at = stuck.keys().next().copied();
    while let Some(paused) = at {
        if !seen.insert(paused) {
            let begin = path.iter().position(|other| *other == paused).unwrap_or(0);
            path.drain(..begin);
            let least = path.iter().enumerate().min_by_key(|(_, paused)| **paused).map_or(0, |(i, _)| i);
            path.rotate_left(least);
            return path;
        }
        path.push(paused);
        at = next(&paused);
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::id::LinkId;

    fn ingress(link: u32) -> PausedIngress {
        PausedIngress { link: LinkId(link), class: None }
    }

    /// A pause of link `link`, whose packets hold 1000 bytes. `behind` has other links, and the bytes that wait behind the pause of each.
    fn wait(link: u32, xon: u64, behind: &[(u32, u64)]) -> PauseWait {
        let held = Held { packets: 1, bytes: 1000 };
        let behind = behind.iter().map(|(link, bytes)| (vec![ingress(*link)], *bytes)).collect();
        PauseWait { paused: ingress(link), xon, held, headroom: Held::default(), behind }
    }

    #[test]
    fn a_circle_stays_and_begins_with_its_first_link() {
        let waits = [wait(7, 500, &[(3, 600)]), wait(3, 500, &[(5, 600)]), wait(5, 500, &[(7, 600)]), wait(1, 0, &[(5, 1)])];
        assert_eq!(find_deadlock(&waits), [3, 5, 7].map(ingress));
    }

    #[test]
    fn a_circle_in_which_enough_leaves_is_none() {
        // No more than xon remains of link 5.
        let waits = [wait(7, 500, &[(3, 600)]), wait(3, 500, &[(5, 600)]), wait(5, 600, &[(7, 600)])];
        assert_eq!(find_deadlock(&waits), []);
    }

    #[test]
    fn a_chain_is_no_circle() {
        assert_eq!(find_deadlock(&[wait(1, 0, &[(2, 900)]), wait(2, 0, &[])]), []);
    }

    #[test]
    fn headroom_that_stays_taken_keeps_a_pause() {
        let mut waits = [wait(1, 900, &[(2, 700)]), wait(2, 0, &[(1, 1)])];
        assert_eq!(find_deadlock(&waits), []);
        // 300 of 1000 bytes leave, and free 300 of the 400 bytes of headroom.
        waits[0].headroom = Held { packets: 1, bytes: 400 };
        assert_eq!(find_deadlock(&waits), [1, 2].map(ingress));
    }
}
