/** Selects the survey: a configured one, one in the server's folder, or a new one. */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { ConnectionRecord, FolderSurvey } from "../../protocol";
import { FilterList } from "../../ui/FilterList";
import { Icon } from "../../ui/icons";
import { closeDone, Popover } from "../../ui/Popover";
import { AddService } from "./AddService";
import { useSidebar } from "./context";
import { Dot } from "./StatusDot";
import { words } from "./strings";

/** With more surveys, there is a search field. */
const FEW = 7;

function isConfigured(each: ConnectionRecord | FolderSurvey): each is ConnectionRecord {
  return "location" in each;
}

interface Props {
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
}

export function ConnectionChooser({ anchor, onClose }: Props) {
  const { state } = useSidebar();
  const failure = useSignal("");
  const { listed, surveys, connection, checked } = state;
  useEffect(() => void state.loadSurveys(), [state]);
  const all = listed.value.is === "ready" ? listed.value.value : [];
  const places = all.map(({ location }) => location.replaceAll("\\", "/"));
  const found = surveys.value.is === "ready" ? surveys.value.value : [];
  const folder = found.filter(({ kind }) => kind === "survey");
  // Opened surveys are listed above.
  const others = folder.filter(({ path }) => !places.some((place) => place.endsWith(`/${path}`)));
  const done = () => closeDone({ anchor, onClose });
  const open = async (path: string) => {
    try {
      await state.openSurvey(path);
      done();
    } catch (error) {
      failure.value = (error as Error).message;
    }
  };
  return (
    <Popover anchor={anchor} onClose={onClose} label={words.chooser}>
      <div class="al-sidebar-chooser">
        <FilterList
          items={[...all, ...others]}
          textOf={(each) =>
            isConfigured(each)
              ? `${each.title} ${each.location} ${each.name}`
              : `${each.title} ${each.path}`
          }
          label={words.find.surveys}
          few={FEW}
        >
          {(shown) => {
            const configured = shown.filter(isConfigured);
            const here = shown.filter((each): each is FolderSurvey => !isConfigured(each));
            return (
              <>
                <section aria-label={words.surveys}>
                  {configured.map((each) => (
                    <button
                      key={each.name}
                      type="button"
                      class="al-menu-item al-sidebar-choice"
                      aria-current={each.name === connection.value?.name}
                      onClick={() => {
                        state.choose(each.name);
                        done();
                      }}
                    >
                      <Dot checked={each.name === connection.value?.name ? checked.value : null} />
                      <Described connection={each} />
                      {each.name === connection.value?.name && <Icon name="check" />}
                    </button>
                  ))}
                </section>
                {here.length > 0 && (
                  <section aria-label={words.surveysHere}>
                    <div class="al-sidebar-heading">{words.surveysHere}</div>
                    {here.map((survey) => (
                      <button
                        key={survey.path}
                        type="button"
                        class="al-menu-item al-sidebar-choice"
                        onClick={() => void open(survey.path)}
                      >
                        <Icon name="open" />
                        <span class="al-sidebar-lines">
                          <span class="al-sidebar-path" dir="auto">
                            {survey.title}
                          </span>
                          <span class="al-quiet al-sidebar-path">{survey.path}</span>
                        </span>
                      </button>
                    ))}
                  </section>
                )}
              </>
            );
          }}
        </FilterList>
        {[...state.problems.value, failure.value].filter(Boolean).map((problem) => (
          <div key={problem} class="al-error al-sidebar-problem" role="alert">
            {problem}
          </div>
        ))}
        <AddService />
      </div>
    </Popover>
  );
}

function Described({ connection }: { connection: ConnectionRecord }) {
  const { title, kind, location } = connection;
  return (
    <span class="al-sidebar-lines">
      <span class="al-sidebar-path" dir="auto">
        {title}
      </span>
      <span class="al-quiet al-sidebar-path">
        {kind === "demo" ? location : `${words.kinds[kind]}: ${location}`}
      </span>
      {connection.credential.needed && (
        <span class={connection.credential.found ? "al-quiet" : "al-warning"}>
          {connection.credential.found ? words.credential(connection) : words.noCredential}
        </span>
      )}
    </span>
  );
}
