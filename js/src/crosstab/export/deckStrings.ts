/** UI strings of the deck. */
import { plural } from "../../core/numbers";

export const words = {
  deck: "Deck",
  add: "Add to deck",
  addHint: "Collect tables and charts for one file of slides",
  added: (n: number) => `Added: ${plural(n, "slide")} in the deck`,
  deckOf: (n: number) => (n === 0 ? "Deck" : `Deck of ${plural(n, "slide")}`),
  emptyDeck: "Add tables and charts: they become the slides of one file.",
  saveDeck: "Save deck",
  savingDeck: "Counting …",
  countingDeck: (n: number, all: number) => `Counting ${n} of ${all} …`,
  skipped: (name: string, why: string) => `Left out: ${name}. ${why}`,
  kinds: {
    table: "Table",
    chart: "Chart",
    bar: "Bars",
    dots: "Dots: bars on slides",
    heatmap: "Heat map",
  },
  showAgain: "Show again (Alt+↑ ↓: move, F2: headline, Delete: remove)",
  rename: (name: string) => `Headline of ${name}`,
  headlinePlaceholder: "Headline (empty: the finding)",
  remove: (name: string) => `Remove ${name}`,
  undoDeck: (change: string) => `Undo: ${change}`,
  template: "Template",
  noTemplate: "Plain slides",
  ownTemplate: "Choose a template …",
  largeTemplate:
    "A template of more than 8 MB is too large to send: put it into this folder, and choose it here.",
} as const;
