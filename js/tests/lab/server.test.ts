// @vitest-environment node
import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/core/answers";
import type { ServicesPackage } from "../../src/lab/jupyter";
import { createServer } from "../../src/lab/server";

interface Sent {
  url: string;
  method: string | undefined;
  body: unknown;
}

function serverThat(answer: () => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const services: ServicesPackage = {
    ServerConnection: {
      async makeRequest(url, { method, body }) {
        sent.push({ url, method, body: typeof body === "string" ? JSON.parse(body) : body });
        return answer();
      },
    },
  };
  return { sent, server: createServer(services, () => ({ baseUrl: "http://here/base/" })) };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

describe("asking the server", () => {
  it("has the connection in the path, whatever its name", async () => {
    const { server, sent } = serverThat(() => json({ ok: true, data: 1, buffers: ["AQID"] }));
    const { data, buffers } = await server.ask("a/b ?", "size", { selection: [] });
    expect(sent[0]).toEqual({
      url: "http://here/base/audiencelab/connections/a%2Fb%20%3F/ask",
      method: "POST",
      body: { op: "size", args: { selection: [] } },
    });
    expect(data).toBe(1);
    expect([...new Uint8Array(buffers[0]?.buffer as ArrayBuffer)]).toEqual([1, 2, 3]);
  });

  it("reports a rejected request with the service's message", async () => {
    const error = { type: "NotFound", message: "No such question.", faults: [] };
    const refused = serverThat(() => json({ ok: false, error })).server.ask("demo", "question", {
      question: "q2",
    });
    await expect(refused).rejects.toMatchObject({ type: "NotFound", message: "No such question." });
    const unknown = serverThat(() => json({ error }, 404)).server.check("gone");
    await expect(unknown).rejects.toMatchObject({ type: "NotFound" });
  });

  it("recognises a missing extension, and an expired session", async () => {
    const missing = serverThat(() => new Response("<html>404", { status: 404 }));
    await expect(missing.server.connections()).rejects.toMatchObject({ type: "ServerMissing" });
    const out = serverThat(() => json({ message: "Forbidden" }, 403));
    await expect(out.server.connections()).rejects.toThrow("log in");
    const broken = serverThat(() => new Response("oops", { status: 500 }));
    await expect(broken.server.connections()).rejects.toThrow("500");
    // A login page instead of an answer.
    const page = serverThat(() => new Response("<html>", { status: 200 }));
    await expect(page.server.connections()).rejects.toBeInstanceOf(RequestError);
  });

  it("reports a missing server, but not for a cancelled request", async () => {
    const gone = () => Promise.reject(new TypeError("Failed to fetch"));
    await expect(serverThat(gone).server.surveys()).rejects.toThrow("does not respond");
    const ended = new AbortController();
    const asked = serverThat(gone).server.ask("demo", "size", { selection: [] }, ended.signal);
    ended.abort();
    await expect(asked).rejects.toBe(ended.signal.reason);
  });
});
