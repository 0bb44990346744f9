const LOCK_FILE =
    /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|go\.(sum|work\.sum)|[^/]+\.lockb?|[^/]+\.resolved)$/i;
const GENERATED_NAME =
    /[.-]min\.(js|css)$|\.(map|bundle\.js|pb\.(go|cc|h)|g\.dart|freezed\.dart|designer\.cs|generated\.[^/]+)$|_pb2(_grpc)?\.pyi?$|_generated\.\w+$/i;
const FOREIGN_FOLDER = /(^|\/)(vendor|third[_-]party|__generated__|generated|__snapshots__)\//i;

/** Written by a program, or by other people: says nothing about the project's own work. */
export function isGenerated(path: string): boolean {
    return LOCK_FILE.test(path) || GENERATED_NAME.test(path) || FOREIGN_FOLDER.test(path);
}
