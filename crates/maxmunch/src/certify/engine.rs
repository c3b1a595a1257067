//! One verifier with what it has learned: reachable nodes, and the clouds of the windows met so far.

use std::sync::Arc;

use hashbrown::HashMap;

use super::budget::Budget;
use super::cloud::{self, Cloud};
use super::count::Counts;
use super::inventory::Decision;
use super::verdict::Witness;
use super::verifier::{Node, Reached, Shape, Verifier};
use crate::error::Result;

/// Decides windows of any token set that has an automaton.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) verifier: Verifier,
    reached: Vec<Reached>,
    /// Clouds of the class windows met so far: the nodes of a tree along `children`.
    clouds: Vec<Cloud>,
    children: HashMap<(u32, u8), u32>,
}

impl Engine {
    pub(super) fn new(shape: Arc<Shape>) -> Self {
        Self {
            verifier: Verifier::new(shape),
            reached: vec![],
            clouds: vec![],
            children: HashMap::new(),
        }
    }

    fn prepare(&mut self, budget: Budget<'_>) -> Result<()> {
        if self.clouds.is_empty() {
            self.reached = self.verifier.reachable(budget)?;
            self.clouds.push(Cloud::before(&self.verifier, &self.reached));
        }
        Ok(())
    }

    fn cloud(&mut self, window: &[u8], budget: Budget<'_>) -> Result<&Cloud> {
        self.prepare(budget)?;
        let mut at = 0_u32;
        for &byte in window {
            let class = self.verifier.dfa().classes().of(byte);
            at = if let Some(&known) = self.children.get(&(at, class as u8)) {
                known
            } else {
                self.verifier.spend(1)?;
                let cloud = self.clouds[at as usize].step(&mut self.verifier, class)?;
                let fresh = self.clouds.len() as u32;
                self.clouds.push(cloud);
                self.children.insert((at, class as u8), fresh);
                fresh
            };
        }
        Ok(&self.clouds[at as usize])
    }

    /// The nodes in which a text may be anywhere, dominated ones left out.
    pub(super) fn everywhere(&mut self, budget: Budget<'_>) -> Result<Vec<Node>> {
        self.prepare(budget)?;
        let mut nodes = self.reached.iter().map(|reached| reached.node).collect();
        self.verifier.minimal(&mut nodes);
        Ok(nodes)
    }

    pub(super) fn origins(&mut self, window: &[u8], budget: Budget<'_>) -> Result<Vec<i64>> {
        Ok(self.cloud(window, budget)?.origins())
    }

    pub(super) fn decide(&mut self, window: &[u8], budget: Budget<'_>) -> Result<Decision> {
        Ok(self.cloud(window, budget)?.decision())
    }

    /// The realised origins, and a shortest input with another one than `origin` where there is one.
    pub(super) fn origins_and_refutation(
        &mut self,
        window: &[u8],
        origin: i64,
        budget: Budget<'_>,
    ) -> Result<(Vec<i64>, Option<Witness>)> {
        let origins = self.origins(window, budget)?;
        if origins.iter().all(|&other| other == origin) {
            return Ok((origins, None));
        }
        let found = cloud::refute(&mut self.verifier, &self.reached, window, origin)?;
        Ok((origins, found))
    }

    pub(super) fn count(
        &mut self,
        max_width: usize,
        budget: Budget<'_>,
    ) -> Result<(Vec<Counts>, u64)> {
        let before = self.verifier.searched();
        let counts = cloud::count(&mut self.verifier, max_width, budget)?;
        Ok((counts, self.verifier.searched() - before))
    }
}
