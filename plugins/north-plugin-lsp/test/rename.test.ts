import { expect } from "chai";
import { checkTool } from "north-cli/plugin-testing";
import { patient } from "../../../test/helpers/patience.js";
import { describeContained } from "../../../test/shell/containment/contained.js";
import { edited, renameTool } from "../src/rename.js";
import { TYPESCRIPT, Workplace } from "./workplace.js";

describeContained("Renaming a symbol", function () {
    this.timeout(patient(120_000));
    let place: Workplace;

    const rename = (file: string, line: number, symbol: string, name: string) =>
        renameTool(place.pool).propose({ path: file, line, symbol, new_name: name }, place.context);
    const code = (work: Promise<unknown>) =>
        work.then(
            () => "accepted",
            (error) => error.code
        );

    before(async () => {
        place = await Workplace.make({
            ...TYPESCRIPT,
            "src/twice.ts":
                "\ufeffexport const twice = (größe: number) => /* größe */ größe * 2;\r\n// twice\r\n",
            "src/four.ts":
                'import { twice } from "./twice.js";\nconst text = "twice";\n\nexport const four = twice(2), text2 = `${twice(1)}${text}`;\nfunction other(twice: number) {\n    return twice;\n}\nexport { other, twice };\n',
        });
    });
    after(() => place?.pool.stop());

    it("keeps the contract", async () => {
        await checkTool(renameTool(place.pool), {
            accepted: [{ path: "src/four.ts", line: 1, symbol: "twice", new_name: "double" }],
        });
    });

    it("changes all uses in all files and nothing else, byte for byte", async () => {
        const proposal = await rename("src/twice.ts", 1, "twice", "double");
        if (!proposal.ok) throw new Error(proposal.error.message);
        const after = new Map(
            proposal.changeSet.changes.map((change) => [
                change.path,
                Buffer.from(change.after ?? []).toString(),
            ])
        );
        expect(after.get("src/twice.ts")).to.equal(
            "\ufeffexport const double = (größe: number) => /* größe */ größe * 2;\r\n// twice\r\n"
        );
        expect(after.get("src/four.ts")).to.equal(
            'import { double } from "./twice.js";\nconst text = "twice";\n\nexport const four = double(2), text2 = `${double(1)}${text}`;\nfunction other(twice: number) {\n    return twice;\n}\nexport { other, double as twice };\n'
        );
        expect(proposal.notes).to.deep.equal(["Renamed in 5 places in 2 files."]);
        expect(after.size).to.equal(2);
    });

    it("proposes nothing for what is not a name, or not in the project", async () => {
        expect(await code(rename("src/twice.ts", 1, "twice", "a-b"))).to.equal("invalid-name");
        expect(await code(rename("src/four.ts", 2, "const", "other"))).to.equal(
            "nothing-to-rename"
        );
    });
});

describe("Edits of a language server", () => {
    const at = (line: number, character: number) => ({ line, character });
    const edit = (
        start: readonly [number, number],
        end: readonly [number, number],
        newText: string
    ) => ({
        range: { start: at(...start), end: at(...end) },
        newText,
    });

    it("apply to the text before, in any order, with any line ends", () => {
        const text = "one\r\n😀two\rthree\nfour";
        const edits = [
            edit([3, 0], [3, 4], "4"),
            edit([0, 0], [0, 0], "0"),
            edit([1, 2], [1, 5], "2"),
            edit([2, 0], [3, 0], ""),
        ];
        expect(edited(text, edits)).to.equal("0one\r\n😀2\r4");
        expect(edited(text, [edit([9, 9], [9, 9], "!")])).to.equal(`${text}!`);
    });

    it("are refused if they overlap", () => {
        const both = [edit([0, 0], [0, 2], "a"), edit([0, 1], [0, 3], "b")];
        expect(() => edited("text", both)).to.throw(/overlap/);
    });
});
