/**
 * The table of a crosstab, composed of its parts: query session, loaded cells and tests, view,
 * and display settings. Connects the parts. No DOM.
 */
import {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals";
import type {
  GridWidget,
  StatisticLine,
  StatisticLines,
  TableProgress,
  TableState,
} from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { type Banner, bannerAfter, plainBanner, readBanner } from "../arrangement/banner";
import { Measures } from "../arrangement/measures";
import type { Side } from "../arrangement/plan";
import { type Margin, QueryAxis } from "../arrangement/queryAxis";
import { TableView } from "../arrangement/tableView";
import type { FormChoice, LineCommand, LineTarget } from "../arrangement/target";
import { type CellCounts, readCounts } from "../data/cellCounts";
import { CellCache, type Positions } from "../data/cells";
import { type Before, beforeOf, LastFigures } from "../data/last";
import { type Name, Names } from "../data/names";
import { QuerySession } from "../data/querySession";
import type { Tile } from "../data/tiles";
import { Marks } from "../metrics/marks";
import { strings } from "../strings";
import { DisplaySettings } from "./displaySettings";

const SIDES = ["rows", "columns"] as const;
/** The settings that texts of statistics depend on. */
const LOOKS = ["hide_under", "significance", "level", "metrics"] as const;

export class Table {
  readonly session: QuerySession;
  readonly settings: DisplaySettings;
  readonly marks: Marks;
  readonly view: TableView;
  /** Increases whenever the table may look different. */
  readonly revision: ReadonlySignal<number>;
  /** Further commands for the menus of items. */
  readonly lineCommands: Signal<readonly LineCommand[]> = signal([]);
  /** What the switch in a group's row offers; null for a group without one. */
  readonly formChoice: Signal<(target: LineTarget) => FormChoice | null> = signal(() => null);
  readonly #touched = signal(0);
  readonly #cells: CellCache<Tile, CellCounts>;
  readonly #axes: Readonly<Record<Side, QueryAxis>>;
  readonly #measures: Measures;
  readonly #baseNames: Names;
  readonly #leaving: (() => void)[] = [];
  #phase = "";
  #last: LastFigures | null = null;
  #before: Readonly<Record<Side, Before>> | null = null;
  /** Whether the last figures are also those of the present query. */
  #isSame = false;
  #baseBefore: Margin = { size: Number.NaN, sample: Number.NaN };
  #statistics: StatisticLines | null = null;
  /** What the texts of statistics depend on; "" before there are any. */
  readonly #statisticsKey = computed(() => {
    const { state, progress } = this.session;
    const { generation, phase } = progress.value ?? {};
    if (!state.value?.statistics?.length || phase !== "done") return "";
    return [generation, ...LOOKS.map((name) => String(this.host.trait(name).value))].join(" ");
  });

  constructor(private readonly host: WidgetHost<GridWidget>) {
    const { lifetime } = host;
    const onArrive = () => this.#arrive();
    const onError = (error: unknown) => session.lack(error);
    const namesOf = (axis: Side | "base") =>
      new Names(lifetime, (...range) => session.names(axis, ...range), onArrive, onError);
    const session = new QuerySession(host);
    const settings = new DisplaySettings(host);
    this.session = session;
    this.settings = settings;
    this.revision = this.#touched;
    this.#cells = new CellCache({
      lifetime,
      pull: (...part) => this.#pull(...part),
      read: readCounts,
      onArrive,
      onError,
    });
    this.#axes = {
      rows: new QueryAxis(namesOf("rows")),
      columns: new QueryAxis(namesOf("columns")),
    };
    this.#baseNames = namesOf("base");
    this.marks = new Marks({
      lifetime,
      pull: (rows, columns, signal) => {
        const letters = settings.showsLetters ? settings.level.peek() : null;
        return session.marks(rows, columns, letters, signal);
      },
      onArrive,
      onError,
    });
    this.#measures = new Measures(this.#cells, this.#axes, (side, key, signal) =>
      session.measure({ side, ...key }, signal),
    );
    this.view = new TableView({
      lifetime,
      trait: host.trait("_arrangement"),
      shown: host.trait("_shown_items"),
      transposed: host.trait("transposed"),
      axes: this.#axes,
      measures: this.#measures,
      cells: this.#cells,
      marks: this.marks,
      last: (row, column, out) => this.#last?.figures(row, column, out) ?? false,
      metric: () => settings.metric.key,
      isComplete: () => session.isComplete,
      showsLetters: () => settings.showsLetters,
      onArranged: onArrive,
      onError: (error) => session.fail(error),
    });
    this.#follow();
  }

  get baseMargin(): Margin {
    const { base_size, base_sample } = this.session.progress.peek() ?? {};
    if (base_size == null && this.#last) return { ...this.#baseBefore, isOld: true };
    return { size: base_size ?? Number.NaN, sample: base_sample ?? Number.NaN };
  }

  /**
   * Whether figures of the table before are those before a change, or before the service failed:
   * they are shown as such, and not copied. While the same people are counted they are right.
   */
  get isBehind(): boolean {
    const isCounted = this.#phase === "running" || this.#phase === "done";
    return this.#last !== null && !(this.#isSame && isCounted);
  }

  /** Whether the table has items of the one before. */
  get isContinued(): boolean {
    return (
      this.#before !== null && SIDES.every((side) => this.#before?.[side].some((at) => at >= 0))
    );
  }

  /** The position in this table of an item of the one before; -1 for one that is gone. */
  after(side: Side, source: number): number {
    return this.#before?.[side].indexOf(source) ?? -1;
  }

  /** What was added last is no longer marked. */
  seen(): void {
    for (const side of SIDES) this.#axes[side].fresh = new Set();
    this.#touch();
  }

  /** Calls back before another table begins, whose items may be those of this one. */
  onLeave(hear: () => void): void {
    this.#leaving.push(hear);
  }

  /** The values in the row of a statistic; undefined for another row, and until they are there. */
  statistic(row: number): StatisticLine | undefined {
    return this.#statistics?.lines[this.view.rows.statistic(row)];
  }

  /** The values of all statistics, once they are there. */
  get statistics(): StatisticLines | null {
    return this.#statistics;
  }

  /** What the two counts of a column are. */
  get baseParts(): string {
    const { weighted_base: label = "" } = this.session.progress.peek() ?? {};
    if (label === "") return strings.basePart;
    return label.includes("average") ? strings.basePartsOver : strings.baseParts;
  }

  /** Whether rows have bases of their own, which is known of a complete table. */
  get basesVary(): boolean {
    return this.session.progress.peek()?.base_varies === true;
  }

  /** The base audience: its name at once, its description once loaded. */
  get baseName(): Name {
    const { base: name = "", rows = 0 } = this.session.state.peek() ?? {};
    return (rows > 0 ? this.#baseNames.at(0) : undefined) ?? { name, sentence: "" };
  }

  /**
   * The name of a cell's base: with several bases, the outermost group of its column in the query.
   */
  baseOver(row: number, column: number): string {
    const { rows, columns } = this.view;
    const item = columns.side === "columns" ? columns.name(column) : rows.name(row);
    const own = this.session.state.peek()?.bases ? (item?.groups?.[0] ?? item?.name) : undefined;
    return own ?? this.baseName.name;
  }

  /** Whom the figures are of, in a line. */
  get baseLine(): string {
    return this.session.progress.peek()?.base_line || strings.base(this.baseName.name);
  }

  announce(sentence: string): void {
    this.host.announce(sentence);
  }

  // -- updates --------------------------------------------------------------------------------

  #follow(): void {
    const { session, settings, view } = this;
    const stops = [
      session.state.signal.subscribe((state) => this.#begin(state)),
      session.progress.signal.subscribe((progress) => this.#advance(progress)),
      settings.first.signal.subscribe(() => view.arranger.arrangeAll()),
      effect(() => {
        const { style, density, shownMargins } = settings;
        void [style.value, density.value, shownMargins.value, view.asked.value];
        void this.formChoice.value;
        untracked(() => this.#touch());
      }),
      view.transposed.signal.subscribe(() => view.arranger.lay()),
      settings.lettersLevel.subscribe(() => this.#retest()),
      this.#statisticsKey.subscribe((key) => void this.#askStatistics(key)),
    ];
    this.host.lifetime.addEventListener("abort", () => {
      for (const stop of stops) stop();
    });
  }

  /** Values of statistics come as texts, which depend on what cells show. */
  async #askStatistics(key: string): Promise<void> {
    const { lifetime, generation } = this.session;
    if (key === "") return;
    try {
      const found = await this.session.statistics();
      if (lifetime.aborted || generation !== this.session.generation) return;
      this.#statistics = found;
      this.#arrive();
    } catch (error) {
      if (!lifetime.aborted) this.session.lack(error);
    }
  }

  /** Letters are shown, or another level of them. */
  #retest(): void {
    this.marks.restart();
    this.#touch();
  }

  #begin(state: TableState): void {
    const { session, view } = this;
    if (!state || state.generation === session.generation) return;
    for (const hear of this.#leaving) hear();
    const { kept } = state;
    const before =
      kept && kept.since === session.generation
        ? { rows: beforeOf(kept.rows, state.rows), columns: beforeOf(kept.columns, state.columns) }
        : null;
    const wasDone = this.#phase === "done";
    const base = this.baseMargin;
    session.begin(state.generation);
    this.#phase = "";
    this.#measures.forget();
    this.#baseNames.reset(1);
    this.marks.reset(state.rows, state.columns);
    const read = this.#cells.reset(state.rows, state.columns);
    this.#before = before;
    this.#last = before && new LastFigures(read, before, wasDone ? null : this.#last);
    this.#isSame = kept?.same === true && (wasDone || this.#isSame);
    this.#baseBefore = base;
    this.#axes.rows.statistics = state.statistics ?? [];
    this.#statistics = null;
    for (const side of SIDES) {
      const axis = this.#axes[side];
      const known = before ? bannerAfter(axis.banner, before[side]) : null;
      // Without groups, items would move when the groups arrive.
      const banner = state.banners ? known : plainBanner(state[side]);
      axis.reset(state[side], banner && this.#shown(side, banner), before?.[side] ?? null);
    }
    if (before || !state.banners) view.arranger.begin(state.generation);
    if (state.banners) void this.#askBanners();
    // Progress may arrive before the table itself.
    this.#advance(session.progress.peek());
    view.lay();
    this.#arrive();
  }

  /** Beside statistics alone, the row of the base says nothing. */
  #shown(side: Side, banner: Banner): Banner {
    const isAlone = side === "rows" && this.session.state.peek().of_statistics;
    return isAlone ? { ...banner, runs: [] } : banner;
  }

  async #askBanners(): Promise<void> {
    const { session } = this;
    const { lifetime, generation } = session;
    try {
      const banners = await session.banners();
      if (lifetime.aborted) return;
      for (const side of SIDES)
        this.#axes[side].banner = this.#shown(side, readBanner(banners[side]));
      this.view.arranger.begin(generation);
    } catch (error) {
      if (!lifetime.aborted) session.fail(error);
    }
  }

  #advance(progress: TableProgress): void {
    if (!progress || progress.generation !== this.session.generation) return;
    this.#cells.freshen(progress.version);
    this.#measures.forget();
    const finished = this.#phase === "running" && progress.phase === "done";
    this.#phase = progress.phase;
    if (progress.phase === "done") this.marks.complete();
    // Rows keep their order while cells arrive; the table is sorted when it is complete.
    if (finished) {
      this.view.arranger.arrangeAll();
      void this.#renewMargins();
    }
    this.#touch();
  }

  /**
   * The counts of an item depend on all of its cells: counts from an early tile may be out of date.
   */
  async #renewMargins(): Promise<void> {
    const { rows, columns } = this.session.state.peek();
    const { lifetime } = this.session;
    try {
      await this.#pull({ start: 0, stop: rows }, [], lifetime);
      await this.#pull([], { start: 0, stop: columns }, lifetime);
      this.#touch();
    } catch (error) {
      if (!lifetime.aborted) this.session.fail(error);
    }
  }

  async #pull(rows: Positions, columns: Positions, signal: AbortSignal): Promise<Tile> {
    const { generation } = this.session;
    const tile = await this.session.tile(rows, columns, signal);
    if (generation === this.session.generation) {
      this.#axes.rows.noteMargins(tile, "row", rows);
      this.#axes.columns.noteMargins(tile, "column", columns);
    }
    return tile;
  }

  /** Requests a repaint for newly loaded data. */
  #arrive(): void {
    this.session.arrived();
    this.#touch();
  }

  #touch(): void {
    this.#touched.value += 1;
  }
}
