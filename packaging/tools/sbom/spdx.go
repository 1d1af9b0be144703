package main

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func writeSPDX(o options, created time.Time, parts []part) error {
	own := pack(part{name: "ccbfsql", version: o.version, purl: "pkg:github/ccbfsql/ccbfsql@" + o.version, spdx: "MIT"})
	own.PrimaryPackagePurpose = "APPLICATION"
	doc := spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      o.name,
		DocumentNamespace: "https://github.com/ccbfsql/ccbfsql/releases/download/" + o.version + "/" + o.name + ".spdx.json",
		CreationInfo: &spdx.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "ccbfsql-sbom"}, {CreatorType: "Organization", Creator: "The ccbfsql authors"}},
			Created:  created.Format(time.RFC3339),
		},
		Packages: []*spdx.Package{own},
		Relationships: []*spdx.Relationship{{
			RefA: common.MakeDocElementID("", "DOCUMENT"), RefB: common.MakeDocElementID("", string(own.PackageSPDXIdentifier)), Relationship: common.TypeRelationshipDescribe,
		}},
	}
	for _, p := range parts {
		pkg := pack(p)
		if p.spdx == "" {
			// A licence without an SPDX name is included with its text.
			ref := "LicenseRef-" + strings.TrimPrefix(string(pkg.PackageSPDXIdentifier), "Package-")
			pkg.PackageLicenseDeclared = ref
			doc.OtherLicenses = append(doc.OtherLicenses, &spdx.OtherLicense{LicenseIdentifier: ref, LicenseName: p.name, ExtractedText: p.text})
		}
		doc.Packages = append(doc.Packages, pkg)
		doc.Relationships = append(doc.Relationships, &spdx.Relationship{
			RefA:         common.MakeDocElementID("", string(own.PackageSPDXIdentifier)),
			RefB:         common.MakeDocElementID("", string(pkg.PackageSPDXIdentifier)),
			Relationship: common.TypeRelationshipContains,
		})
	}
	out, err := os.Create(o.spdx)
	if err != nil {
		return err
	}
	if err := spdxjson.Write(doc, out, spdxjson.Indent(" ")); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// pack returns the SPDX description of a part, with the licence that it declares. No licence was
// concluded by a person.
func pack(p part) *spdx.Package {
	return &spdx.Package{
		PackageName: p.name, PackageVersion: p.version,
		PackageSPDXIdentifier:     common.ElementID("Package-" + notInID.ReplaceAllString(strings.TrimPrefix(p.purl, "pkg:"), "-")),
		PackageDownloadLocation:   "NOASSERTION",
		PackageLicenseConcluded:   "NOASSERTION",
		PackageLicenseDeclared:    p.spdx,
		PackageCopyrightText:      "NOASSERTION",
		IsFilesAnalyzedTagPresent: true,
		PackageExternalReferences: []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: p.purl}},
	}
}
