import picomatch from "picomatch";
import { NorthError } from "../../base/north-error.js";

const OPTIONS = {
    dot: true,
    nocase: true,
    noextglob: true,
    nonegate: true,
    strictBrackets: true,
};

/**
 * A predicate for paths relative to the root. Case does not matter; a pattern without `/` is for
 * names in any folder, one that ends with `/` for all that is in such a folder. Parentheses are
 * parts of names, as folders in several web frameworks have them. Throws `invalid-pattern`.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
    const glob = pattern.replace(/^\.\//, "").replace(/\/$/, "/**");
    if (glob === "" || glob.split("/").includes("..")) {
        throw invalidGlob(pattern, glob === "" ? "it is empty" : "it leads out of the repository");
    }

    const relative = glob.replace(/^\/+/, "").replace(/[()]/g, "\\$&");
    try {
        const regex = picomatch.makeRe(relative, OPTIONS);
        return glob.includes("/")
            ? (path) => regex.test(path)
            : (path) => regex.test(path.slice(path.lastIndexOf("/") + 1));
    } catch (error) {
        throw invalidGlob(pattern, error instanceof Error ? error.message : String(error));
    }
}

function invalidGlob(pattern: string, reason: string): NorthError {
    return new NorthError("invalid-pattern", `The glob ${pattern} is invalid: ${reason}.`, [
        "Write one like *.ts, src/**/*.{js,jsx} or **/test-*/**.",
    ]);
}
