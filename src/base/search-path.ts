import { delimiter, isAbsolute } from "node:path";

/** Used in place of an empty PATH, which would mean the current folder. */
const STANDARD = ["/usr/bin", "/bin"];

/** PATH without relative entries, through which a repository's file could pose as a program. */
export function absoluteSearchPath(searchPath = process.env.PATH ?? ""): string {
    const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
    return (folders.length > 0 ? folders : STANDARD).join(delimiter);
}
