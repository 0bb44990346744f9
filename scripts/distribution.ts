// What a release offers besides the package, all derived from the manifest: standalone archives,
// their install script, a Homebrew formula.

export interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly description: string;
    readonly homepage: string;
    readonly license: string;
    readonly engines: { readonly node: string };
}

/** Node's version in the archives, from the package `node-TARGET`. */
export const NODE = "24.21.0";

/** Each target's names in `uname -s` and `uname -m`. */
export const TARGETS = {
    "linux-x64": ["Linux-x86_64"],
    "linux-arm64": ["Linux-aarch64", "Linux-arm64"],
} as const;

export type Target = keyof typeof TARGETS;

export const targets = Object.keys(TARGETS) as readonly Target[];

export function archiveName({ version }: Manifest, target: Target): string {
    return `north-${version}-${target}.tar.gz`;
}

/** The command that installs the latest release, or updates to it. */
export function installLine({ homepage }: Manifest): string {
    return `curl -fsSL ${homepage}/releases/latest/download/install.sh | sh`;
}

/** Each release has its own script, with the archives' checksums. */
export function installScript(manifest: Manifest, sums: Readonly<Record<Target, string>>): string {
    const { name, version, homepage, engines } = manifest;
    const cases = targets.map(
        (target) => `    ${TARGETS[target].join(" | ")}) target=${target} sum=${sums[target]} ;;`
    );
    return `#!/bin/sh
# Installs North ${version} into ~/.local, for one user and without root.
set -eu

fail() {
    printf '%s\\n' "$@" >&2
    exit 1
}

# A function, so that nothing runs before all of the script has arrived.
install() {
    case "$(uname -s)-$(uname -m)" in
${cases.join("\n")}
    *) fail "There is no archive for $(uname -sm). With Node ${engines.node} run: npm install --global ${name}" ;;
    esac
    # Not in ~/.local/share/north, where the plugins are.
    place=$HOME/.local/lib/north
    programs=$HOME/.local/bin
    mkdir -p "$place" "$programs"
    work=$(mktemp -d "$place/.new.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    url=\${NORTH_DOWNLOADS:-${homepage}/releases/download/v${version}}/north-${version}-$target.tar.gz
    curl -fsSL "$url" -o "$work/archive" || fail "Not installed: $url could not be downloaded."
    printf '%s  %s\\n' "$sum" "$work/archive" | sha256sum -c - >/dev/null 2>&1 ||
        fail "Not installed: the checksum of $url does not match."
    tar -xzf "$work/archive" -C "$work"

    # Keep the previous version, which may be running.
    before=$(readlink "$programs/north" || :)
    for old in "$place"/[0-9]*; do
        [ "$old/bin/north" = "$before" ] || rm -rf "$old"
    done
    rm -rf "$place/${version}"
    mv "$work/north" "$place/${version}"
    ln -sf "$place/${version}/bin/north" "$programs/north"

    echo "Installed North ${version}. To start it, run north in a repository."
    case ":$PATH:" in
    *":$programs:"*) ;;
    *) echo "First add $programs to your PATH." ;;
    esac
}

install
`;
}

/** For a tap; Homebrew provides Node, so one formula serves macOS and Linux. */
export function formula(manifest: Manifest, sum: string): string {
    const { name, version, description, homepage, license } = manifest;
    const summary = description.replace(/^An? /, "").replace(/:.*/, "");
    return `class North < Formula
  desc "${summary[0]?.toUpperCase()}${summary.slice(1)}"
  homepage "${homepage}"
  url "https://registry.npmjs.org/${name}/-/${name}-${version}.tgz"
  sha256 "${sum}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/north --version")
  end
end
`;
}
