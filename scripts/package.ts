// What the package has and the checkout has not: a manifest without what only development needs, exact
// versions of what is installed with it, and links that lead out of it as links to the repository.
// npm calls it before and after it packs: `prepack` writes these files, `postpack` restores the others.
import { execFileSync } from "node:child_process";
import {
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Of the checkout, while npm packs. */
const saved = path.join(root, "build", "unpacked");
export const SHRINKWRAP = "npm-shrinkwrap.json";

interface Manifest {
    readonly homepage: string;
    readonly version: string;
}

/** The names of the files that npm packs. */
export function packedFiles(): readonly string[] {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
    const listed = execFileSync("npm", args, { cwd: root, encoding: "utf8" });
    const [packed] = JSON.parse(listed) as readonly {
        readonly files: readonly { readonly path: string }[];
    }[];
    return packed?.files.map((file) => file.path) ?? [];
}

/** The texts of the files that differ from the checkout's, by name. */
export function packageTexts(packed: readonly string[]): ReadonlyMap<string, string> {
    const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const shipped = { ...manifest, files: [...manifest.files, SHRINKWRAP] };
    for (const field of ["scripts", "devDependencies", "workspaces"]) delete shipped[field];
    const pages = packed.filter((file) => file.endsWith(".md"));
    return new Map<string, string>([
        ["package.json", `${JSON.stringify(shipped, null, 2)}\n`],
        [SHRINKWRAP, shrinkwrap(shipped)],
        ...pages.map((page) => [page, withLinks(page, packed, manifest)] as const),
    ]);
}

/** npm itself takes from the lock what this manifest does not lead to. */
function shrinkwrap(manifest: object): string {
    const folder = mkdtempSync(path.join(tmpdir(), "north-shrinkwrap-"));
    try {
        writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
        cpSync(path.join(root, "package-lock.json"), path.join(folder, SHRINKWRAP));
        const args = ["install", "--package-lock-only", "--ignore-scripts", "--offline"];
        execFileSync("npm", [...args, "--no-audit", "--loglevel=error"], { cwd: folder });
        return readFileSync(path.join(folder, SHRINKWRAP), "utf8");
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/** The text of a page; what is not packed is in the repository, at the tag of this version. */
function withLinks(
    page: string,
    packed: readonly string[],
    { homepage, version }: Manifest
): string {
    const text = readFileSync(path.join(root, page), "utf8");
    return text.replace(/(?<=\]\()(?![a-z]+:|#)[^)\s]+/g, (target) => {
        const file = path.join(path.dirname(page), target);
        if (packed.includes(file.replace(/#.*/, ""))) return target;
        return `${homepage}/${file.endsWith(".svg") ? "raw" : "blob"}/v${version}/${file}`;
    });
}

function prepare(): void {
    restore();
    for (const [file, text] of packageTexts(packedFiles())) {
        const copy = path.join(saved, file);
        mkdirSync(path.dirname(copy), { recursive: true });
        if (file !== SHRINKWRAP) cpSync(path.join(root, file), copy);
        writeFileSync(path.join(root, file), text);
    }
}

/** Also at the next packing, where the one before was killed. */
function restore(): void {
    rmSync(path.join(root, SHRINKWRAP), { force: true });
    if (existsSync(saved)) cpSync(saved, root, { recursive: true });
    rmSync(saved, { recursive: true, force: true });
}

const [, program, task] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
    if (task === "prepack") prepare();
    else restore();
}
