import { expect } from "chai";
import { editFiles } from "../../../src/chat/terminal/programs.js";

/** What an editor makes of files with these names: the name under which it gets each. */
async function namesFor(...names: readonly string[]): Promise<readonly string[]> {
    const environment = {
        ...process.env,
        VISUAL: "",
        EDITOR: `sh -c 'for file; do basename "$file" > "$file"; done' sh`,
    };
    const content = new Uint8Array();
    const edited = await editFiles(
        { environment, lend: (run) => run(environment) },
        names.map((name) => ({ name, content }))
    );
    return edited.map((bytes) => new TextDecoder().decode(bytes).trim());
}

describe("The editor", () => {
    it("One file keeps its name; of several the folders tell which is which", async () => {
        expect(await namesFor("src/index.ts")).to.deep.equal(["index.ts"]);
        expect(await namesFor("src/index.ts", "test/index.ts")).to.deep.equal([
            "1-src-index.ts",
            "2-test-index.ts",
        ]);
        const deep = `${"語".repeat(80)}/${"語".repeat(80)}/${"a/".repeat(3)}-a-b.ts`;
        expect((await namesFor(deep, deep)).every((name) => name.endsWith("-a-b.ts"))).to.equal(
            true
        );
    });

    it("An editor that removes its file is a failed editor, not a bug of North", async () => {
        const environment = { ...process.env, VISUAL: "", EDITOR: "rm" };
        const lender = { environment, lend: (run) => run(environment) } satisfies Parameters<
            typeof editFiles
        >[0];
        const edited = editFiles(lender, [{ name: "message.md", content: new Uint8Array() }]);
        const error: unknown = await edited.catch((reason: unknown) => reason);
        expect(error).to.have.property("code", "editor-failed");
    });
});
