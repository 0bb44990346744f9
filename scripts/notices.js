// The licences of bundled packages, which must be distributed with them.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleContract, bundleProgram, root } from "./bundling.js";

export const NOTICES = "THIRD-PARTY-NOTICES";

const RULE = "-".repeat(80);

/** Returns the text of `THIRD-PARTY-NOTICES` for the inputs in esbuild's metafiles. */
export function noticesText(metafiles) {
    const sections = bundledPackages(metafiles).map((place) => sectionOf(place));
    // The same version of a package may be installed in several places.
    const each = [...new Set(sections)].sort();
    return `${["North contains code of these packages.", ...each].join(`\n\n${RULE}\n\n`)}\n`;
}

/** The folder of each package with code left in the output. */
function bundledPackages(metafiles) {
    const files = metafiles
        .flatMap(({ outputs }) => Object.values(outputs))
        .flatMap(({ inputs }) => Object.entries(inputs))
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([file]) => file);
    const folders = files.flatMap(
        (file) => /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []
    );
    return [...new Set(folders)];
}

function sectionOf(place) {
    const folder = path.join(root, place);
    const read = (file) => readFileSync(path.join(folder, file), "utf8").trim();
    const { name, version, license, author } = JSON.parse(read("package.json"));
    const texts = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .map(read);
    if (texts.length === 0 && license !== "MIT") {
        throw new Error(`${name} is bundled and has no file with its licence, ${license}.`);
    }
    if (texts.length === 0) texts.push(mitLicence(author?.name ?? author ?? name));
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}

/** Some packages name this licence without including its text. */
function mitLicence(owner) {
    const text = readFileSync(path.join(root, "LICENSE"), "utf8").trim();
    return text.replace(/^Copyright .*$/m, `Copyright (c) ${owner}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const results = await Promise.all([bundleProgram(), bundleContract(false)]);
    process.stdout.write(noticesText(results.map(({ metafile }) => metafile)));
}
