/** The audiences sidebar: the survey, and below it questions, saved audiences and surveys. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { usePageId } from "../../core/ids";
import { useHost, type WidgetHost } from "../../ui/host";
import { Icon, IconButton } from "../../ui/icons";
import { strings as shared } from "../../ui/strings";
import { Tabs } from "../../ui/Tabs";
import { CatalogueSection } from "./Catalogue";
import { ConnectionBar } from "./ConnectionBar";
import { type Problem, Sidebar, type SidebarParts, useSidebar } from "./context";
import { createTaking } from "./dragging";
import { SECTIONS, type Section } from "./memory";
import { SavedSection } from "./Saved";
import { SurveysSection } from "./Surveys";
import { words } from "./strings";

export function SidebarView({ host, parts }: { host: WidgetHost; parts: SidebarParts }) {
  const trouble = useSignal<Problem | null>(null);
  const all = useMemo(
    () => ({ ...parts, ...createTaking(parts, host, trouble) }),
    [parts, host, trouble],
  );
  // Not `useEffect`: it waits for the next paint, which a hidden page may delay.
  useLayoutEffect(() => void parts.state.ready(), [parts]);
  return (
    <Sidebar.Provider value={all}>
      <div class="al-sidebar">
        <ConnectionBar />
        <Body />
        {trouble.value && (
          <ProblemNotice
            trouble={trouble.value}
            onClose={() => {
              trouble.value = null;
            }}
          />
        )}
      </div>
    </Sidebar.Provider>
  );
}

function ProblemNotice({ trouble, onClose }: { trouble: Problem; onClose(): void }) {
  const { newNotebook } = useSidebar();
  return (
    <div class="al-sidebar-trouble" role="alert">
      <Icon name="warning" />
      <span>
        {trouble.message}{" "}
        {trouble.needsNotebook && (
          <button
            type="button"
            class="al-link"
            onClick={() => {
              onClose();
              void newNotebook();
            }}
          >
            {words.newNotebook}
          </button>
        )}
      </span>
      <IconButton icon="close" label={shared.close} onClick={onClose} />
    </div>
  );
}

const VIEWS = { catalogue: CatalogueSection, saved: SavedSection, surveys: SurveysSection };

function Body() {
  const { state } = useSidebar();
  const { root } = useHost();
  const id = usePageId("sidebar");
  const { listed, section } = state;
  if (listed.value.is === "failed") {
    return (
      <div class="al-empty" role="alert">
        <p class="al-error">{listed.value.message}</p>
        <button type="button" class="al-link" onClick={() => void state.load()}>
          {shared.retry}
        </button>
      </div>
    );
  }
  const idOf = (name: Section) => `${id}-${name}`;
  const choose = (name: Section) => {
    state.show(name);
    root.querySelector(`#${CSS.escape(idOf(name))}`)?.scrollTo(0, 0);
  };
  return (
    <>
      <Tabs
        label={words.sectionList}
        class="al-sidebar-tabs"
        stack={SECTIONS}
        chosen={section.value}
        words={words.sections}
        idOf={idOf}
        onChoose={choose}
      />
      {SECTIONS.map((name) => {
        const View = VIEWS[name];
        // Hidden instead of removed, so that the search is kept.
        return (
          <div
            key={name}
            id={idOf(name)}
            class="al-sidebar-section"
            role="tabpanel"
            aria-labelledby={`${idOf(name)}-tab`}
            hidden={section.value !== name}
          >
            <View shown={section.value === name} />
          </div>
        );
      })}
    </>
  );
}
