// @vitest-environment node
import { describe, expect, it } from "vitest";
import { addCommand, isAddress, isName } from "../../src/lab/sidebar/command";
import { connectionNames } from "../shared.json";

describe("the command that adds a remote service", () => {
  it("has placeholders in capitals", () => {
    expect(addCommand("", "")).toBe("audiencelab connections add NAME ADDRESS");
    expect(addCommand("team", "")).toBe("audiencelab connections add team ADDRESS");
  });

  it("is safe to paste into a shell", () => {
    expect(addCommand("team", "https://a.example:8443/x")).toBe(
      "audiencelab connections add team https://a.example:8443/x",
    );
    expect(addCommand("team", "https://a.example/?x=1&y=$(rm)")).toBe(
      "audiencelab connections add team 'https://a.example/?x=1&y=$(rm)'",
    );
    expect(addCommand("team", "https://a.example/it's;reboot")).toBe(
      "audiencelab connections add team 'https://a.example/it'\\''s;reboot'",
    );
  });

  it("is not created from ambiguous values", () => {
    for (const [name, expected] of connectionNames as [string, boolean][])
      expect([name, isName(name)]).toEqual([name, expected]);
    for (const address of [
      "ftp://a.example",
      "a.example",
      "http://a.example",
      "https://user:secret@a.example",
      "javascript:alert(1)",
    ]) {
      expect(isAddress(address)).toBe(false);
    }
    expect(isAddress("http://localhost:8000")).toBe(true);
  });
});
