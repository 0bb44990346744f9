import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { readStructure } from "../../src/code/structure.js";
import { symbolsOf } from "../../src/code/symbols.js";

const folder = fileURLToPath(new URL("../fixtures/code/", import.meta.url));

/**
 * A fixture says itself what it defines: `@def type name of parent` in a comment on the line of the
 * definition. Whatever it does not say must not be found.
 */
function announced(text: string): string[] {
    return text.split("\n").flatMap((line, index) =>
        line
            .replace(/\s*(\*\/|-->).*$/, "")
            .split("@def ")
            .slice(1)
            .map((definition) => `${index + 1} ${definition.trim()}`)
    );
}

async function found(file: string, text: string): Promise<string[]> {
    const { sections } = await readStructure(file, text);
    return symbolsOf(sections).map(
        ({ line, type, name, parent }) =>
            `${line} ${type} ${name}${parent === undefined ? "" : ` of ${parent}`}`
    );
}

describe("Source file symbols", () => {
    for (const file of readdirSync(folder)) {
        const text = readFileSync(`${folder}${file}`, "utf8");
        if (!text.includes("@def ")) continue;

        it(`The symbols of ${file} are exactly its definitions`, async () => {
            expect((await found(file, text)).sort()).to.deep.equal(announced(text).sort());
        });
    }
});
