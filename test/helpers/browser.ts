import * as fs from "node:fs";
import path from "node:path";
import { PATIENCE_MS } from "./patience.js";
import type { Workplace } from "./north-program.js";

/**
 * Starts a sign-in, opens its page, which redirects, calls `browse` with the address to come back
 * to, and waits for the program's end.
 */
export async function signInWith(
    place: Workplace,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    browse: (callback: URL) => Promise<unknown>
) {
    // stderr in a file, to read the URL before the program ends.
    const file = path.join(place.folder, "said");
    fs.rmSync(file, { force: true });
    const program = place.start(args, {
        env,
        under: ["sh", "-c", `exec "$0" "$@" 2>'${file}'`],
    });
    let hasEnded = false;
    void program.ended.then(() => (hasEnded = true));
    let said = "";
    while (!hasEnded && !/^http\S+\n/m.test(said)) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        said = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    }
    const [url] = /^http\S+/m.exec(said) ?? [];
    if (url === undefined) throw new Error(`No address from a program that ended: ${said}`);
    const page = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) });
    const callback = page.headers.get("location");
    if (page.status !== 302 || callback === null) throw new Error(`No redirect from ${url}`);
    await browse(new URL(callback));
    const end = await program.ended;
    return { ...end, stderr: fs.readFileSync(file, "utf8") };
}
