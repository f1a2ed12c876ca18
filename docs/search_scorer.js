// Ranks guides and reference above history, design records and benchmarks.
const LATER = /^(changelog|mutants|benchmarks|bibliography|promises|glossary|design\/|contributing|studies\/parts\/)/;
const FIRST = /^(tutorial|gallery|concepts|scenario|study|trace|series|schedulers|sensitivity|store|report|lab|plugins|limits|reference\/)/;

var Scorer = {
  score: ([page, , , , score]) => score * (LATER.test(page) ? 0.3 : FIRST.test(page) ? 1.5 : 1),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
