import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const pictures = path.join(root, "docs", "images");
const questions = path.join(root, "src", "chat", "questions");

function files(folder: string): string[] {
    return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
}

/** The labels of the choices that a picture or film shows, such as `try contained`. */
function labelsOf(picture: string): string[] {
    return [...picture.matchAll(/<text[^>]*>(.*)<\/text>/g)]
        .map(([, row = ""]) => row.replaceAll(/<[^>]+>/g, "").replaceAll("\u00a0", " "))
        .filter((row) => /^› [a-z] \S/.test(row))
        .flatMap((row) => row.replaceAll(/^› |▏$/g, "").split(" · "))
        .map((choice) => choice.slice("y ".length));
}

describe("The documentation's pictures", () => {
    it("The pictures show choices in the words of the program; `npm run pictures` records them anew", () => {
        const source = files(questions).join("\n");
        const shown = new Set(files(pictures).flatMap(labelsOf));
        expect(shown).to.include("apply").and.include("try contained").and.include("edit it first");
        const isInSource = (label: string) =>
            source.includes(`"${label}"`) ||
            source.includes(`\`${label.replace(/Assisted-by: .+/, "${trailer}")}\``);
        expect([...shown].filter((label) => !isInSource(label))).to.deep.equal([]);
    });
});
