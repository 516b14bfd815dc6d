/** What a page gets with its catalogue: synonyms and ranges of all languages. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { learnWords } from "../src/ui/matching";

learnWords(JSON.parse(readFileSync(resolve("src/protocol/searchWords.json"), "utf8")));
