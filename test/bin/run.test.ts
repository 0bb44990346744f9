import { expect } from "chai";
import { spawnSync } from "node:child_process";
import path from "node:path";

describe("bin/run.js", () => {
    const run = (environment: NodeJS.ProcessEnv, uid?: number) =>
        spawnSync(process.execPath, ["bin/run.js", "models"], {
            ...(uid === undefined ? {} : { uid }),
            env: { PATH: process.env.PATH, ...environment },
            encoding: "utf8",
        });
    const NO_HOME =
        "North found no home folder.\n  Set HOME to a folder that North may write to.\n";

    it("Without a home folder North says that HOME is needed", () => {
        const { status, stdout, stderr } = run({ HOME: "" });
        expect({ status, stdout, stderr }).to.deep.equal({
            status: 1,
            stdout: "",
            stderr: NO_HOME,
        });
    });

    it("A user without an account, as in a container, is told that HOME is needed", function () {
        if (process.getuid?.() !== 0) return this.skip();
        expect(run({}, 54_321).stderr).to.equal(NO_HOME);
    });

    it("Where its folder was deleted, North says to go to another one", () => {
        const script = 'cd "$(mktemp -d)" && rmdir "$PWD" && exec "$@"';
        const north = [process.execPath, path.resolve("bin/run.js"), "-p", "hello"];
        const { status, stderr } = spawnSync("bash", ["-c", script, "-", ...north], {
            encoding: "utf8",
        });
        expect({ status, stderr }).to.deep.equal({
            status: 1,
            stderr:
                "The current folder does not exist any more.\n" +
                "  Change to another one, then start North again.\n",
        });
    });
});
