import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import { patient } from "../helpers/patience.js";
import { describeContained } from "../shell/containment/contained.js";

const SERVER = "typescript-language-server";

/** A workplace whose North has the built plugin installed, and whose project has a TypeScript server. */
function workplace(files: Readonly<Record<string, string>>): Workplace {
    const place = new Workplace(files);
    place.configure({ containment: "auto" });
    fs.mkdirSync(place.data, { recursive: true });
    const root = path.resolve("plugins/north-plugin-lsp");
    const plugins = [{ name: "north-plugin-lsp", root, type: "link" }];
    const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
    fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));
    // Copies, as a link may lead to where contained commands see nothing.
    for (const name of ["typescript", SERVER]) {
        fs.cpSync(path.resolve("node_modules", name), place.place(`node_modules/${name}`), {
            recursive: true,
        });
    }
    fs.mkdirSync(place.place("node_modules/.bin"));
    const program = fs.readlinkSync(`node_modules/.bin/${SERVER}`);
    fs.symlinkSync(program, place.place(`node_modules/.bin/${SERVER}`));
    return place;
}

describeContained("Language servers in North", function () {
    this.timeout(patient(180_000));
    let place: Workplace;

    const north = async (...args: readonly string[]) => {
        const env = { NORTH_DATA_DIR: place.data };
        const { stdout, stderr, code } = await place.run(["-p", "--model", "offline", ...args], {
            env,
        });
        expect(code, stderr).to.equal(0);
        return stdout;
    };
    const uses = `call find_references {"path": "src/twice.ts", "line": 1, "symbol": "twice"}`;

    before(() => {
        place = workplace({
            "package.json": '{"type": "module"}',
            "tsconfig.json": '{"compilerOptions": {"module": "nodenext"}, "include": ["src"]}',
            "src/twice.ts": "export const twice = (value: number) => value * 2;\n",
        });
    });
    after(() => place.remove());

    it("see the draft in draft mode, and the project in the others", async () => {
        const content = 'import { twice } from "./twice.js";\\nexport const four = twice(2);\\n';
        await north(
            ...["--mode", "draft"],
            `call edit_create_file {"path": "src/four.ts", "content": ${JSON.stringify(content.replaceAll("\\n", "\n"))}}`
        );
        expect(fs.existsSync(path.join(place.repository, "src/four.ts"))).to.equal(false);
        expect(await north("--continue", "--mode", "draft", uses)).to.contain("src/four.ts");
        expect(await north("--mode", "agent", uses)).not.to.contain("src/four.ts");
    });
});
