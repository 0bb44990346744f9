import { expect } from "chai";
import { sha256 } from "../../../src/base/sha256.js";
import type { ChangedFile } from "../../../src/plugin/index.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { makeRepository } from "../make-folder.js";

type View = ReadonlyMap<string, ChangedFile>;

describe("A view that changes while a file is read", () => {
    it("is not read as it was at an earlier moment", async () => {
        const root = makeRepository({ "a.txt": "real" });
        const draft = (text: string): View =>
            new Map([
                ["a.txt", { path: "a.txt", beforeHash: sha256("real"), afterHash: sha256(text) }],
            ]);
        const texts = ["first", "second"];
        const stored = new Map(texts.map((text) => [sha256(text), Buffer.from(text)]));
        let view: View = draft("first");
        let next: View | undefined;
        const workspace = openWorkspace({ root }).inView({
            view: () => {
                const shown = view;
                view = next ?? view;
                return shown;
            },
            contents: { get: async (hash) => stored.get(hash) ?? Buffer.of() },
        });
        const read = async () => Buffer.from((await workspace.read("a.txt")).bytes).toString();
        expect(await read()).to.equal("first");
        [view, next] = [new Map(), draft("second")];
        expect(await read()).to.be.oneOf(["real", "second"]);
    });
});
