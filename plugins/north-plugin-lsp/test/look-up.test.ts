import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { checkTool } from "north-cli/plugin-testing";
import { patient } from "../../../test/helpers/patience.js";
import { describeContained } from "../../../test/shell/containment/contained.js";
import { TYPESCRIPT, Workplace } from "./workplace.js";

const FILES = {
    ...TYPESCRIPT,
    "src/twice.ts":
        "/** Doubles it. */\nexport function twice(value: number): number {\n    return value * 2;\n}\n",
    "src/four.ts":
        'import { twice } from "./twice.js";\n\n// twice, in a comment\nexport const four = twice(2);\n',
    "README.md": "twice\n",
};

describeContained("Looking up symbols in TypeScript", function () {
    this.timeout(patient(120_000));
    let place: Workplace;

    const at = (file: string, line: number, symbol: string) => ({ path: file, line, symbol });
    const rendered = async (name: string, input: object) => {
        const result = await place.call(name, input);
        return result.ok ? place.tool(name).render?.(result.data, input) : result.error;
    };

    before(async () => {
        place = await Workplace.make(FILES);
    });
    after(() => place?.pool.stop());

    it("The tools keep the contract", async () => {
        for (const tool of place.tools()) {
            await checkTool(tool, { accepted: [at("src/four.ts", 1, "twice")] });
        }
    });

    it("finds definitions, uses and types by meaning, not by text", async () => {
        expect(await rendered("go_to_definition", at("src/four.ts", 4, "twice"))).to.equal(
            "src/twice.ts:2: export function twice(value: number): number {"
        );
        expect(await rendered("find_references", at("src/twice.ts", 2, "twice"))).to.equal(
            'src/four.ts:1: import { twice } from "./twice.js";\n' +
                "src/four.ts:4: export const four = twice(2);"
        );
        expect(await rendered("hover", at("./src/four.ts", 4, "twice")))
            .to.contain("twice(value: number): number")
            .and.to.contain("Doubles it.");
        expect(place.started.length).to.equal(1);
    });

    it("sees what has changed since the last call", async () => {
        const file = path.join(place.project.root, "src/twice.ts");
        writeFileSync(`${file}.new`, "\n\n\nexport const twice = (value: string) => value;\n");
        renameSync(`${file}.new`, file);
        writeFileSync(
            path.join(place.project.root, "src/more.ts"),
            'import { twice } from "./twice.js";\nexport const more = twice("a");\n'
        );
        expect(await rendered("find_references", at("src/twice.ts", 4, "twice")))
            .to.contain("src/more.ts:2: export const more")
            .and.to.contain("src/four.ts:4");
        expect(await rendered("hover", at("src/four.ts", 4, "twice"))).to.contain("string");
        rmSync(path.join(place.project.root, "src/more.ts"));
        expect(await rendered("find_references", at("src/twice.ts", 4, "twice"))).not.to.contain(
            "more"
        );
        expect(place.started.length).to.equal(1);
    });

    it("says which lines name a symbol that the given one does not", async () => {
        const refused = await place
            .call("hover", at("src/four.ts", 2, "twice"))
            .catch((error) => error);
        expect(refused.code).to.equal("no-such-symbol");
        expect(refused.message).to.equal("Line 2 of src/four.ts does not name twice.");
        expect(refused.nextSteps).to.deep.equal(["These lines do: 1, 3, 4."]);
    });

    it("says that no server reads a file, and which ones there are", async () => {
        const refused = await place
            .call("hover", at("README.md", 1, "twice"))
            .catch((error) => error);
        expect(refused.code).to.equal("no-language-server");
        expect(refused.nextSteps.join()).to.contain("gopls");
    });
});
