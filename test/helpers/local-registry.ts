import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

/** An npm registry on loopback with the packages installed in this checkout. */
export interface LocalRegistry {
    /** For `npm_config_registry`. */
    readonly url: string;
    close(): Promise<void>;
}

interface Manifest {
    readonly name: string;
    readonly version: string;
    /** Packages inside its archive. */
    readonly bundleDependencies?: readonly string[];
}

interface Installed {
    readonly manifest: Manifest;
    readonly folder: string;
}

/** By version. */
type Versions = Map<string, Installed>;

/**
 * Lets packages with dependencies install without any other registry. `more` adds package folders.
 */
export async function startLocalRegistry(more: readonly string[] = []): Promise<LocalRegistry> {
    const packages = installedIn(path.resolve("."));
    for (const folder of more) add(packages, folder);
    const listener = http.createServer((request, response) => {
        const [name = "", version] = decodeURIComponent(request.url ?? "")
            .slice(1)
            .split("/-/");
        const versions = packages.get(name);
        if (versions === undefined) return void response.writeHead(404).end("{}");
        if (version === undefined) {
            return void response.end(JSON.stringify(packument(name, versions, url)));
        }

        const installed = versions.get(version);
        if (installed === undefined) return void response.writeHead(404).end("{}");
        sendArchive(installed, response);
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    return {
        url,
        close: async () => {
            listener.close();
            listener.closeAllConnections();
            await once(listener, "close");
        },
    };
}

function installedIn(checkout: string): Map<string, Versions> {
    const lock = JSON.parse(fs.readFileSync(path.join(checkout, "package-lock.json"), "utf8"));
    const packages = new Map<string, Versions>();
    for (const place of Object.keys(lock.packages as object)) {
        const folder = path.join(checkout, place);
        const file = path.join(folder, "package.json");
        // The lock file also lists packages for other platforms.
        if (!place.includes("node_modules/") || !fs.existsSync(file)) continue;
        add(packages, folder);
    }
    return packages;
}

function add(packages: Map<string, Versions>, folder: string): void {
    const manifest: Manifest = JSON.parse(
        fs.readFileSync(path.join(folder, "package.json"), "utf8")
    );
    const versions: Versions = packages.get(manifest.name) ?? new Map();
    packages.set(manifest.name, versions.set(manifest.version, { manifest, folder }));
}

/** https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
function packument(name: string, versions: Versions, url: string): object {
    const listed = [...versions].map(([version, { manifest }]) => [
        version,
        { ...manifest, dist: { tarball: `${url}${name}/-/${version}` } },
    ]);
    const latest = [...versions.keys()].at(-1);
    return { name, "dist-tags": { latest }, versions: Object.fromEntries(listed) };
}

/** An archive as npm unpacks it: npm strips the first folder, whatever its name. */
function sendArchive({ folder, manifest }: Installed, response: http.ServerResponse): void {
    const base = path.basename(folder);
    const hasBundle = (manifest.bundleDependencies?.length ?? 0) > 0;
    const without = hasBundle ? [] : ["--exclude", `${base}/node_modules`];
    const tar = spawn("tar", ["-cf", "-", ...without, base], {
        cwd: path.dirname(folder),
        stdio: ["ignore", "pipe", "inherit"],
    });
    tar.stdout.pipe(response);
    // Without a reader, tar would wait forever, and the tests with it.
    response.once("close", () => tar.kill());
}
