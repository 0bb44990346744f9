// Paths are relative to HOME. docs/containment.md lists them too; a test compares.

/** Visible but read-only: compilers, interpreters, version managers, git settings. */
export const SHOWN = [
    ".asdf",
    ".bun",
    ".cargo",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".deno",
    ".dotnet",
    ".fnm",
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".gradle",
    ".jenv",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2",
    ".nodenv",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".stack",
    ".swiftly",
    ".tool-versions",
    ".volta",
    "go",
] as const;

/** Visible and writable; writes are discarded after the command. */
export const CACHES = [
    ".bun/install/cache",
    ".cache/Cypress",
    ".cache/bazel",
    ".cache/ccache",
    ".cache/deno",
    ".cache/electron",
    ".cache/go-build",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/node-gyp",
    ".cache/pip",
    ".cache/pre-commit",
    ".cache/prisma",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/ruff",
    ".cache/turbo",
    ".cache/typescript",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/git",
    ".cargo/registry",
    ".gradle/caches",
    ".m2/repository",
    ".npm",
    "go/pkg",
] as const;

/** Hidden inside the folders above, besides what looks like a secret. */
export const CREDENTIALS = [
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gradle/init.d",
    ".m2/settings-security.xml",
    ".stack/upload",
] as const;

/** Visible without the lines that hold credentials. */
export const SETTINGS = [
    ".cargo/config",
    ".cargo/config.toml",
    ".config/git/config",
    ".gitconfig",
    ".gradle/gradle.properties",
    ".gradle/init.gradle",
    ".gradle/init.gradle.kts",
    ".m2/settings.xml",
] as const;

/** What is visible of the machine, read-only; absolute. */
export const SYSTEM = [
    "/bin",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    "/sbin",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/usr",
    "/var/cache/fontconfig",
    "/var/lib/dpkg",
    "/var/lib/ghc",
    "/var/lib/pacman",
    "/var/lib/rpm",
    "/var/lib/texmf",
] as const;

/** Private to contained commands. */
export const PRIVATE = [
    "/dev",
    "/dev/pts",
    "/dev/shm",
    "/proc",
    "/run",
    "/tmp",
    "/var/tmp",
] as const;
