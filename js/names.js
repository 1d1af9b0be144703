// The names of properties that no user of the reader sees: dist/ has shorter ones.
import ts from "typescript";

/** The names of properties in the sources behind some modules that are neither theirs nor the language's. */
export function internalNames(modules) {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, import.meta.dirname);
  const program = ts.createProgram(modules, options);
  const checker = program.getTypeChecker();
  const outside = (declaration) => declaration.getSourceFile().isDeclarationFile;
  const isPrivate = (declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0;

  // What the modules export, and the parameters and results of its methods.
  const kept = new Set();
  const seen = new Set();
  const keep = (type) => {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) type.types.forEach(keep);
    checker.getTypeArguments(type).forEach(keep);
    for (const property of checker.getPropertiesOfType(type)) {
      const [declaration] = property.declarations ?? [];
      if (!declaration || outside(declaration) || isPrivate(declaration)) continue;
      kept.add(property.name);
      keep(checker.getTypeOfSymbol(property));
    }
    for (const signature of type.getCallSignatures()) {
      keep(signature.getReturnType());
      for (const parameter of signature.getParameters()) keep(checker.getTypeOfSymbol(parameter));
    }
  };
  for (const path of modules) {
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)))) {
      const exported = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      keep(exported.flags & ts.SymbolFlags.Function ? checker.getTypeOfSymbol(exported) : checker.getDeclaredTypeOfSymbol(exported));
    }
  }

  const declared = new Set();
  const visit = (node) => {
    const symbol = node.name && ts.isIdentifier(node.name) && checker.getSymbolAtLocation(node.name);
    if (symbol) {
      if (symbol.declarations?.some(outside)) kept.add(symbol.name);
      else if (symbol.flags & (ts.SymbolFlags.Property | ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) declared.add(symbol.name);
    }
    ts.forEachChild(node, visit);
  };
  program.getSourceFiles().filter((file) => !file.isDeclarationFile).forEach(visit);
  return [...declared].filter((name) => !kept.has(name));
}
