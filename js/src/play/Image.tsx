/**
 * An image that Python drew as SVG. It is not put into the page as it is: shapes and words are
 * copied, with the attributes that draw them.
 */
import { h, type VNode } from "preact";
import { useMemo } from "preact/hooks";

const SHAPES = ["path", "rect", "text"];
const ATTRIBUTES =
  "class d fill font-size height stroke-dasharray stroke-linecap stroke-width text-anchor width x y";

export function Image({ svg, alt }: { svg: string; alt: string }) {
  const { box, shapes } = useMemo(() => read(svg), [svg]);
  return (
    <div class="al-play-image">
      <svg role="img" aria-label={alt} viewBox={box}>
        {shapes}
      </svg>
    </div>
  );
}

function read(svg: string): { box: string; shapes: VNode[] } {
  const { documentElement } = new DOMParser().parseFromString(svg, "image/svg+xml");
  const known = [...documentElement.children].filter(({ tagName }) => SHAPES.includes(tagName));
  return { box: documentElement.getAttribute("viewBox") ?? "", shapes: known.map(copied) };
}

function copied(shape: Element): VNode {
  const names = ATTRIBUTES.split(" ").filter((name) => shape.hasAttribute(name));
  const attributes = Object.fromEntries(names.map((name) => [name, shape.getAttribute(name)]));
  return h(shape.tagName, attributes, shape.textContent);
}
