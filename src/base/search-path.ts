import { delimiter, isAbsolute } from "node:path";

/** An empty one would mean the current folder. */
const STANDARD = ["/usr/bin", "/bin"];

/** Without the relative entries, through which a file of the repository could pass for a program. */
export function absoluteSearchPath(searchPath = process.env.PATH ?? ""): string {
    const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
    return (folders.length > 0 ? folders : STANDARD).join(delimiter);
}
