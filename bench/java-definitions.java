// Prints `LINE NAME<tab>FILE` for each definition that the JDK's parser finds in the files on stdin.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

class JavaDefinitions extends TreeScanner<Void, String> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final String text;

    JavaDefinitions(CompilationUnitTree unit, SourcePositions positions) throws IOException {
        this.unit = unit;
        this.positions = positions;
        this.text = unit.getSourceFile().getCharContent(true).toString();
    }

    public static void main(String[] arguments) throws IOException {
        List<String> files = new BufferedReader(new InputStreamReader(System.in)).lines().collect(Collectors.toList());
        var compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        var sources = manager.getJavaFileObjectsFromStrings(files);
        var task = (JavacTask) compiler.getTask(null, manager, problem -> {}, null, null, sources);
        var positions = Trees.instance(task).getSourcePositions();
        for (CompilationUnitTree unit : task.parse()) new JavaDefinitions(unit, positions).scan(unit, "");
    }

    @Override
    public Void visitPackage(PackageTree node, String owner) {
        print(node.getPackageName().toString(), positions.getStartPosition(unit, node));
        return super.visitPackage(node, owner);
    }

    @Override
    public Void visitClass(ClassTree node, String owner) {
        String name = node.getSimpleName().toString();
        if (!name.isEmpty()) print(name, behind(node, List.of(node.getModifiers())));
        return super.visitClass(node, name);
    }

    @Override
    public Void visitMethod(MethodTree node, String owner) {
        boolean isConstructor = node.getName().contentEquals("<init>");
        List<Tree> before = new ArrayList<>(node.getTypeParameters());
        before.add(node.getModifiers());
        if (node.getReturnType() != null) before.add(node.getReturnType());
        print(isConstructor ? owner : node.getName().toString(), behind(node, before));
        return super.visitMethod(node, owner);
    }

    /** Where to search for the name: after modifiers and types, which may contain it too. */
    private long behind(Tree node, List<? extends Tree> parts) {
        long start = positions.getStartPosition(unit, node);
        for (Tree part : parts) start = Math.max(start, positions.getEndPosition(unit, part));
        return start;
    }

    private void print(String name, long from) {
        Matcher found = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(text);
        if (!found.find((int) from)) return;
        long line = unit.getLineMap().getLineNumber(found.start());
        System.out.println(line + " " + name + "\t" + new File(unit.getSourceFile().toUri()));
    }
}
