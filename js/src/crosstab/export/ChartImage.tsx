/**
 * A chart in the page: rendered from its specification where the page can, else the kernel's image.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { DrawCharts } from "../../core/notebook";

export interface Picture {
  readonly alt: string;
  /** The URL of an image, or a Vega-Lite specification. */
  readonly source: string | object;
}

/** The arguments of the request for a chart. */
export function pictureFormat(draw: DrawCharts | null): { format?: "vega" } {
  return draw ? { format: "vega" } : {};
}

export function readPicture(bytes: DataView | undefined, alt: string, draw: DrawCharts | null) {
  const text = bytes ? new TextDecoder().decode(bytes) : "";
  // An SVG in an `img` element runs no scripts and fetches nothing, whatever its text contains.
  const address = () => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  return { alt, source: draw ? (JSON.parse(text) as object) : address() };
}

interface Props {
  picture: Picture;
  draw: DrawCharts | null;
  /** Whether it shows the table's present state. */
  current?: boolean;
}

export function ChartImage({ picture: { alt, source }, draw, current = true }: Props) {
  if (typeof source === "string")
    return <img class="al-chart" src={source} alt={alt} data-current={current} />;
  // Its marks are hidden from screen readers: some have no name, and the table has the values.
  return (
    draw && (
      <div class="al-chart" role="img" aria-label={alt} data-current={current}>
        <Drawn spec={source} draw={draw} />
      </div>
    )
  );
}

function Drawn({ spec, draw }: { spec: object; draw: DrawCharts }) {
  const place = useRef<HTMLDivElement>(null);
  const show = useRef<(spec: object) => void>(() => {});
  useLayoutEffect(() => {
    const life = new AbortController();
    if (place.current) show.current = draw(place.current, life.signal);
    return () => life.abort();
  }, [draw]);
  useLayoutEffect(() => show.current(spec), [draw, spec]);
  return <div ref={place} aria-hidden="true" />;
}
