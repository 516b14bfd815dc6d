/** The forms that questions of the table can be shown in, and the header commands that choose one. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { QuestionForms } from "../../protocol";
import { forms as formNames } from "../../ui/grids";
import type { FormChoice, LineCommand, LineTarget } from "../arrangement/target";
import type { OpenPanel } from "./commands";
import type { QueryEditor } from "./queryEditor";
import { words } from "./strings";

type Form = QuestionForms["forms"][number];

const FORMS: readonly Form[] = ["distribution", "top_box", "mean", "median", "nps"];

/** The questions whose form can be chosen, of the present table. */
export function useForms({ host }: QueryEditor): Signal<readonly QuestionForms[]> {
  const found = useSignal<readonly QuestionForms[]>([]);
  const generation = host.trait("_table").value?.generation;
  useEffect(() => {
    if (generation === undefined) return;
    const ended = new AbortController();
    host.requests.request("forms", { generation }, { signal: ended.signal }).then(
      ({ data }) => {
        found.value = data.questions;
      },
      // Without them the table has no switches, which is all that is lost.
      () => {
        found.value = [];
      },
    );
    return () => ended.abort();
  }, [host, generation]);
  return found;
}

type Place = Pick<LineTarget, "side" | "level" | "first" | "total" | "lines">;

/** The question that a group, or a row without one, shows: the innermost group that has it whole. */
export function formsAt(
  questions: readonly QuestionForms[],
  { side, level, first, total = 0, lines }: Place,
): QuestionForms | null {
  const at = level === undefined ? lines[0] : first;
  if (at === undefined) return null;
  const own = questions.find(({ axis, start, count, statistic }) => {
    if (axis !== side) return false;
    if (start < 0) return at === ~statistic && total >= count;
    const isWithin = at >= start && at < start + count;
    return level === undefined ? isWithin : at === start && total >= count;
  });
  return own ?? null;
}

/** What the switch in a group's row offers. */
export function formChoice(
  questions: readonly QuestionForms[],
  { edit }: Pick<QueryEditor, "edit">,
  open: Signal<OpenPanel | null>,
): (target: LineTarget) => FormChoice | null {
  return (target) => {
    const found = target.side === "rows" ? formsAt(questions, target) : null;
    if (!found) return null;
    const { axis, question, edges } = found;
    return {
      key: `${question} ${found.form} ${edges} ${found.forms}`,
      forms: found.forms.map((form) => ({
        name: formNames[form === "distribution" && edges ? "bins" : form],
        isShown: form === found.form,
        show: () => void edit({ do: "show_as", axis, question, form }),
      })),
      ...(edges &&
        found.form === "distribution" && {
          bins: edges.join(", "),
          editBins: (anchor: HTMLElement) => {
            open.value = { kind: "bins", target, forms: found, anchor };
          },
        }),
    };
  };
}

/** "Show as mean" and the others, for a group or a row of a question. */
export function formCommands(
  questions: () => readonly QuestionForms[],
  { edit }: Pick<QueryEditor, "edit">,
  open: Signal<OpenPanel | null>,
): readonly LineCommand[] {
  const at = (target: LineTarget) => formsAt(questions(), target);
  return [
    ...FORMS.map((form): LineCommand => {
      const isBins = (target: LineTarget) => form === "distribution" && at(target)?.edges;
      return {
        id: `form-${form}`,
        label: (target) => words.showAs(formNames[isBins(target) ? "bins" : form]),
        refusal: (target) => {
          const found = at(target);
          return found?.forms.includes(form) && found.form !== form ? "" : words.isBase;
        },
        run: (target) => {
          const found = at(target);
          if (found) void edit({ do: "show_as", axis: found.axis, question: found.question, form });
        },
      };
    }),
    {
      id: "form-bins",
      label: () => words.bins,
      refusal: (target) => (at(target)?.edges ? "" : words.isBase),
      run: (target) => {
        const forms = at(target);
        if (forms) open.value = { kind: "bins", target, forms };
      },
    },
  ];
}
