import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createGrants } from "../../src/storage/grants/grants.js";
import { Workplace } from "../helpers/north-program.js";
import { whyNot } from "../shell/containment/contained.js";

/** Puts a policy into an /etc that only this program sees: nothing else can move the file. */
const UNDER = `
set -e
mount -t tmpfs tmpfs "$0"
cp -a /etc/. "$0" 2>/dev/null || true
mkdir -p "$0/north"
printf %s "$1" > "$0/north/policy.json"
mount --bind "$0" /etc
shift
exec "$@"`;
const FILE = "/etc/north/policy.json";

describe("A machine with a policy", () => {
    let place: Workplace;

    before(function () {
        // Needs user namespaces.
        const tried = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/etc"]);
        if (tried.status !== 0) this.skip();
    });
    beforeEach(() => {
        place = new Workplace({ "a.txt": "a\n" });
        mkdirSync(path.join(place.folder, "etc"));
    });
    afterEach(() => place.remove());

    const run = (policy: unknown, args: readonly string[], env = {}) => {
        const text = typeof policy === "string" ? policy : JSON.stringify(policy);
        const folder = path.join(place.folder, "etc");
        return place.run(args, { env, under: ["unshare", "-rm", "sh", "-c", UNDER, folder, text] });
    };
    const print = (policy: unknown, prompt: string, ...flags: readonly string[]) =>
        run(policy, ["-p", "--model", "offline", prompt, ...flags]);

    it("A policy refuses flags that would widen it, and North names its file", async () => {
        const refused = [
            [{ automatic: false }, ["--accept-edits"]],
            [{ automatic: false }, ["--approve-shell"]],
            [{ containment: "auto" }, ["--contain", "off"]],
            [{ containment: "required" }, ["--contain", "auto"]],
        ] as const;
        for (const [policy, flags] of refused) {
            const { code, stderr } = await print(policy, "run echo x", ...flags);
            expect(stderr, flags.join(" ")).to.contain(`not allowed on this machine, by ${FILE}`);
            expect(code).to.equal(2);
        }
    });

    it("A policy makes a project's standing grants ask again", async () => {
        const create = 'create b.txt with "b"';
        const { data: dataFolder, repository: root } = place;
        await createGrants({ root, dataFolder }).setAutomatic({ editsAutoAccept: true });
        await print({ automatic: false }, create);
        expect(place.files()).not.to.have.property("b.txt");
        await print({}, create);
        expect(place.files()).to.have.property("b.txt");
    });

    it("A policy refuses calls that match a deny rule, even within a longer command", async () => {
        const policy = { deny: ["Bash(touch *)", "Edit(*.md)"] };
        const flags = ["--accept-edits", "--approve-shell"];
        const shell = await print(policy, "run echo x && touch b.txt", ...flags);
        expect(shell.stdout).to.contain(`Bash(touch *) is not allowed on this machine, by ${FILE}`);
        const edit = await print(policy, 'create b.md with "b"', ...flags);
        expect(edit.stdout).to.contain("Edit(*.md) is not allowed");
        await print(policy, 'create c.txt with "c"', ...flags);
        expect(Object.keys(place.files())).to.deep.equal(["a.txt", "c.txt"]);
    });

    it("A policy refuses a change that meets a rule for edits when a contained command made it", async function () {
        if ((await whyNot()) !== undefined) this.skip();
        place.configure({ containment: "auto" });
        const written = await print(
            { deny: ["Edit(/d/**)"] },
            "run mkdir -p d && ln -s d e && echo x > e/c.txt",
            "--accept-edits"
        );
        expect(written.stderr).to.contain("Edit(/d/**) is not allowed");
        expect(Object.keys(place.files())).to.deep.equal(["a.txt"]);
    });

    it("A policy allows only the providers and plugins that it names, whatever settings and variables say", async () => {
        place.configure({
            providers: { router: { baseURL: "http://127.0.0.1:9/v1", keyVariable: "ROUTER_KEY" } },
        });
        const name = "north-plugin-works";
        const plugins = [{ name, root: path.resolve("test/fixtures/plugins/works"), type: "link" }];
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        mkdirSync(place.data, { recursive: true });
        writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));
        const policy = { providers: ["anthropic"], plugins: [] };
        const listed = await run(policy, ["tools", "--json"], {
            ROUTER_KEY: "x",
            NORTH_DATA_DIR: place.data,
        });
        const { providers, problems } = JSON.parse(listed.stdout);
        expect(problems[0]).to.contain("The plugin north-plugin-works is not allowed");
        const ids = providers.map(({ id }: { readonly id: string }) => id);
        expect(ids).to.have.members(["anthropic", "offline"]);
        const { code, stderr } = await run(policy, ["-p", "--model", "router/m", "hello"]);
        expect(stderr).to.contain(`The provider router is not allowed on this machine, by ${FILE}`);
        expect(code).to.equal(2);
    });

    it("A broken policy keeps North from starting, and north doctor reports it", async () => {
        const { code, stderr } = await print('{"automatic": "no"}', "list files");
        expect(stderr).to.contain(`The policy ${FILE} cannot be followed`);
        expect(code).to.equal(1);
        const broken = await run("{", ["doctor"]);
        expect(broken.stdout).to.contain(FILE);
        const followed = await run({ containment: "required" }, ["doctor"]);
        expect(followed.stdout).to.contain(`${FILE}: containment: required`);
    });
});
