import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import type { Requests } from "../../src/core/requests";
import { createComparing } from "../../src/editor/comparing";
import type { Compared, EditorWidget } from "../../src/protocol";
import { until } from "../core/until";

const kept = (name: string) => ({ id: name, name, expression: null, etag: null });

function answer(sample: number): Compared {
  const part = { size: 10 * sample, sample, percentage: null };
  return { parts: [part, part, part], notes: [] };
}

/** A comparison whose requests the test answers. */
function played() {
  const asked: { other: string; reply(data: Compared): void }[] = [];
  const request = (_: string, { other }: { other: { name: string } }) =>
    new Promise((resolve) => {
      asked.push({ other: other.name, reply: (data) => resolve({ data, buffers: [] }) });
    });
  const counted = signal(0);
  const revision = signal(0);
  const comparing = createComparing({
    requests: { request } as unknown as Requests<EditorWidget>,
    counted,
    revision,
    lifetime: new AbortController().signal,
  });
  const question = async (number: number) =>
    until(
      () => asked[number],
      () => JSON.stringify(asked),
    );
  return { comparing, counted, revision, question };
}

it.each(["counted", "revision"] as const)(
  "is requested again when `%s` increases",
  async (what) => {
    const { comparing, question, ...grows } = played();
    comparing.beside(kept("A"));
    (await question(0)).reply(answer(1));
    await until(() => !comparing.stale.value, String);
    grows[what].value += 1;
    expect(comparing.stale.value).toBe(true);
    (await question(1)).reply(answer(2));
    await until(() => !comparing.stale.value, String);
    expect(comparing.compared.value?.parts[0].sample).toBe(2);
  },
);

it("never shows one audience's sizes under another's name", async () => {
  const { comparing, question } = played();
  comparing.beside(kept("A"));
  const first = await question(0);
  comparing.beside(kept("B"));
  first.reply(answer(1));
  const second = await question(1);
  expect([second.other, comparing.compared.value, comparing.stale.value]).toEqual([
    "B",
    null,
    true,
  ]);
  second.reply(answer(2));
  await until(() => comparing.compared.value, String);
  expect(comparing.compared.value?.parts[0].sample).toBe(2);
});
