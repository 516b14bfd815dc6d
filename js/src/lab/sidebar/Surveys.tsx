/** The surveys and data files in the server's folder: a click opens one in a tab. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FolderSurvey } from "../../protocol";
import { FilterList } from "../../ui/FilterList";
import { strings as shared } from "../../ui/strings";
import { useSidebar } from "./context";
import { Rows } from "./Rows";
import { Waiting } from "./Saved";
import { words } from "./strings";

export function SurveysSection({ shown }: { shown: boolean }) {
  const { state, openSurvey } = useSidebar();
  const { surveys } = state;
  const failure = useSignal("");
  useEffect(() => {
    if (shown) void state.loadSurveys();
  }, [shown, state]);
  const now = surveys.value;
  const all = now.is === "ready" ? now.value : [];
  const open = async ({ path, kind }: FolderSurvey) => {
    failure.value = "";
    try {
      // Its questions are in the sidebar, too, and a new workbench is on it.
      if (kind === "survey") await state.openSurvey(path);
      await openSurvey(path);
    } catch (error) {
      failure.value = (error as Error).message;
    }
  };
  const problem = now.is === "failed" ? now.message : failure.value;
  return (
    <div class="al-sidebar-list">
      {problem && (
        <div class="al-empty al-error" role="alert">
          {problem}
        </div>
      )}
      {now.is === "loading" && <Waiting label={words.surveysLoading} />}
      {now.is === "ready" && all.length === 0 && <div class="al-empty">{words.noSurveys}</div>}
      {all.length > 0 && (
        <FilterList
          items={all}
          textOf={({ title, path }) => `${title} ${path}`}
          label={words.find.surveys}
          few={0}
        >
          {(found) => (
            <Rows
              label={words.surveyList}
              all={found}
              keyOf={({ path }) => path}
              pressLabel={({ title }) => words.open(title)}
              onPress={(survey) => void open(survey)}
              row={(survey) => (
                <span class="al-sidebar-lines">
                  <span class="al-sidebar-name" dir="auto">
                    {breakable(survey.title)}
                  </span>
                  <span class="al-quiet">{words.surveyOf(survey)}</span>
                  {shownPath(survey) && (
                    <span class="al-quiet al-code al-sidebar-path">
                      {breakable(shownPath(survey))}
                    </span>
                  )}
                </span>
              )}
              buttons={() => null}
            />
          )}
        </FilterList>
      )}
      {now.is !== "loading" && (
        <button
          type="button"
          class="al-link al-sidebar-again"
          onClick={() => void state.loadSurveys()}
        >
          {now.is === "failed" ? shared.retry : words.lookAgain}
        </button>
      )}
    </div>
  );
}

/** The path of a survey; of a file its folder, since the file has its name. */
function shownPath({ path, kind }: FolderSurvey): string {
  return kind === "survey" ? path : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** A name of a file, which may be broken after an underscore, a dash, a dot or a slash. */
function breakable(name: string) {
  return name.split(/(?<=[_./-])(?=[^_./-])/).flatMap((part) => [<wbr key={part} />, part]);
}
