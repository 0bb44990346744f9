import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { quote } from "../../base/shell-quote.js";

/** File beside `bin` and `lib` of an archive, with the command that installed it. */
const INSTALL_LINE = "INSTALL";

/** Package managers other than npm, recognized by their install folders. */
const MANAGERS: readonly (readonly [pattern: RegExp, name: string, update: string])[] = [
    [/\/Cellar\//, "Homebrew", "brew upgrade north"],
    [/\/_npx\//, "npx", "npx north-cli@latest"],
    [/\/\.pnpm\//, "pnpm", "pnpm add --global north-cli@latest"],
    [/\/yarn\/global\//, "Yarn", "yarn global add north-cli@latest"],
    [/\/\.bun\//, "Bun", "bun add --global north-cli@latest"],
];

/** How the package in `folder` was installed. Only reads the file system. */
export function findInstallation(folder: string) {
    const manager = MANAGERS.find(([pattern]) => pattern.test(`${folder}/`));
    if (manager) return { from: manager[1], folder, update: manager[2] };
    const [modules, prefix] = [path.dirname(folder), path.resolve(folder, "../../..")];
    if (path.basename(modules) !== "node_modules") {
        const update = `cd ${quote(folder)} && git pull && npm install && npm run build`;
        return { from: "a checkout", folder, update };
    }
    const line = path.join(prefix, INSTALL_LINE);
    if (existsSync(line)) {
        return { from: "an archive", folder: prefix, update: readFileSync(line, "utf8").trim() };
    }
    const location =
        path.basename(path.dirname(modules)) === "lib"
            ? `--global --prefix ${quote(prefix)}`
            : `--prefix ${quote(path.dirname(modules))}`;
    return { from: "npm", folder, update: `npm install ${location} north-cli@latest` };
}
