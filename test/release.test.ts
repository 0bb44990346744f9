import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
    archiveName,
    formula,
    installLine,
    installScript,
    type Manifest,
    targets,
} from "../scripts/distribution.js";
import { packedFiles } from "../scripts/package.js";
import { faultsOfContents, missingBeforeTag, releaseNotes } from "../scripts/release-state.js";

const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as Manifest;

describe("A release", () => {
    let folder: string;

    beforeEach(() => (folder = fs.mkdtempSync(path.join(tmpdir(), "north-release-test-"))));
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    function write(file: string, content: string, mode = 0o644): string {
        const place = path.join(folder, file);
        fs.mkdirSync(path.dirname(place), { recursive: true });
        fs.writeFileSync(place, content, { mode });
        return place;
    }

    /** An archive of a version for every target, whose program says its version. */
    function offer(version: string): string {
        write("made/north/bin/north", `#!/bin/sh\necho ${version}\n`, 0o755);
        const offered = { ...manifest, version };
        const sums = targets.map((target) => {
            const archive = path.join(folder, archiveName(offered, target));
            execFileSync("tar", ["-czf", archive, "-C", path.join(folder, "made"), "north"]);
            return [target, createHash("sha256").update(fs.readFileSync(archive)).digest("hex")];
        });
        return installScript(offered, Object.fromEntries(sums));
    }

    function run(script: string, env: Record<string, string> = {}) {
        const home = path.join(folder, "home");
        const NORTH_DOWNLOADS = `file://${folder}`;
        return spawnSync("sh", [], {
            input: script,
            env: { PATH: process.env.PATH, HOME: home, NORTH_DOWNLOADS, ...env },
            encoding: "utf8",
        });
    }

    const installed = () =>
        execFileSync(path.join(folder, "home/.local/bin/north"), { encoding: "utf8" }).trim();
    const versions = () => fs.readdirSync(path.join(folder, "home/.local/lib/north"));

    it("The install script installs, updates, and keeps the previous version for those who are running it", () => {
        write("home/.local/share/north/node_modules/plugin.js", "");
        const end = run(offer("1.0.0"));
        expect(end.stdout).to.match(/^Installed North 1\.0\.0\..*\nFirst add .*\.local\/bin to/);
        expect({ code: end.status, version: installed() }).to.deep.equal({
            code: 0,
            version: "1.0.0",
        });
        for (const version of ["1.0.1", "1.0.1", "1.1.0"]) run(offer(version));
        expect(installed()).to.equal("1.1.0");
        expect(versions()).to.deep.equal(["1.0.1", "1.1.0"]);
        const plugins = path.join(folder, "home/.local/share/north/node_modules");
        expect(fs.readdirSync(plugins)).to.deep.equal(["plugin.js"]);
    });

    it("The install script changes nothing where a download is missing, damaged or cut", () => {
        run(offer("1.0.0"));
        const script = offer("2.0.0");
        for (const target of targets) {
            fs.rmSync(path.join(folder, archiveName({ ...manifest, version: "2.0.0" }, target)));
        }
        expect(run(script).stderr).to.contain("could not be downloaded.");
        for (const target of targets) {
            write(archiveName({ ...manifest, version: "2.0.0" }, target), "damaged");
        }
        expect(run(script)).to.deep.include({ status: 1, stdout: "" });
        expect(run(script).stderr).to.match(
            /^Not installed: the checksum of .* does not match\.\n$/
        );
        expect(run(script.slice(0, -"install\n".length - 10)).status).not.to.equal(0);
        expect({ version: installed(), all: versions() }).to.deep.equal({
            version: "1.0.0",
            all: ["1.0.0"],
        });
    });

    it("The install script names npm where there is no archive for a machine", () => {
        const script = offer("1.0.0");
        write("programs/uname", "#!/bin/sh\necho Darwin\n", 0o755);
        const PATH = `${path.join(folder, "programs")}:${process.env.PATH}`;
        const { status, stderr } = run(script, { PATH });
        expect(status).to.equal(1);
        expect(stderr).to.contain(`npm install --global ${manifest.name}`);
        expect(fs.existsSync(path.join(folder, "home"))).to.equal(false);
    });

    it("The formula names the registry's archive, its checksum and what it depends on", () => {
        const text = formula(manifest, "0123abcd");
        const { name, version } = manifest;
        for (const line of [
            'desc "Coding assistant for the terminal"',
            `url "https://registry.npmjs.org/${name}/-/${name}-${version}.tgz"`,
            'sha256 "0123abcd"',
            'depends_on "node"',
        ]) {
            expect(text).to.contain(`  ${line}\n`);
        }
    });

    it("The documented install line is the one in the archives", () => {
        expect(fs.readFileSync("docs/releasing.md", "utf8")).to.contain(installLine(manifest));
    });

    it("A package has its readme and licence, but no sources, tests or maps", () => {
        expect(faultsOfContents(packedFiles())).to.deep.equal([]);
        const needed = ["package.json", "README.md"];
        expect(
            faultsOfContents([
                ...needed,
                "src/a.ts",
                "dist/a.js.map",
                "test/a.test.ts",
                "bin/dev.js",
            ])
        ).to.deep.equal([
            "unexpected src/a.ts",
            "unexpected dist/a.js.map",
            "unexpected test/a.test.ts",
            "unexpected bin/dev.js",
            "no LICENSE",
        ]);
    });

    it("A checkout is ready to be tagged when its version, changelog, branch and tree are", () => {
        const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder });
        git("init", "-q", "--initial-branch=main");
        write("package.json", '{"version": "1.2.3"}');
        write("package-lock.json", '{"version": "1.2.2"}');
        write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- New.\n");
        expect(missingBeforeTag(folder)).to.deep.equal([
            "package-lock.json has version 1.2.2, not 1.2.3.",
            "CHANGELOG.md has no heading `## [1.2.3] - YYYY-MM-DD`.",
            "There are uncommitted changes.",
        ]);
        write("package-lock.json", '{"version": "1.2.3"}');
        write(
            "CHANGELOG.md",
            "# Changelog\n\n## [1.2.3] - 2026-11-22\n\n- New.\n\n## [1.2.2]\n\n- Old.\n"
        );
        git("add", ".");
        git("-c", "user.name=n", "-c", "user.email=n@localhost", "commit", "-qm", "Release 1.2.3");
        expect(missingBeforeTag(folder)).to.deep.equal([]);
        expect(releaseNotes(folder)).to.equal("- New.");
        git("tag", "v1.2.3");
        expect(missingBeforeTag(folder)).to.deep.equal(["The tag v1.2.3 exists."]);
    });
});
