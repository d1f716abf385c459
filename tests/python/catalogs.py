"""Validates the Data Package and reads the DCAT catalog of the server on standard input, and prints what they contain as JSON."""

import json
import sys
import urllib.request

from frictionless import Package
from rdflib import RDF, Graph, Namespace

DCAT = Namespace("http://www.w3.org/ns/dcat#")
DCT = Namespace("http://purl.org/dc/terms/")


def fetch(url):
    with urllib.request.urlopen(url) as response:
        return response.read().decode()


def validated(package):
    report = package.validate()
    errors = report.errors + [error for task in report.tasks for error in task.errors]
    return {"valid": report.valid, "errors": [error.message for error in errors]}


def data_package(url):
    package = Package(url)
    # The same with a wrong type, which only reading the rows can find.
    wrong = Package.from_descriptor(json.loads(fetch(url)))
    wrong.get_resource("feeds").schema.set_field_type("feed_id", "integer")
    return {
        **validated(package),
        "wrong": validated(wrong)["valid"],
        "resources": {
            resource.name: {
                "title": resource.title,
                "rows": len(resource.read_rows()),
                "fields": {field.name: field.type for field in resource.schema.fields},
                "unit": resource.schema.get_field("value").custom.get("unit"),
                "licenses": [license["name"] for license in resource.licenses],
            }
            for resource in package.resources
        },
    }


def catalog(url):
    graph = Graph().parse(data=fetch(url), format="json-ld")

    def texts(subject, term):
        return sorted(str(value) for value in graph.objects(subject, term))

    return {
        "datasets": {
            texts(dataset, DCT.identifier)[0]: {
                "titles": texts(dataset, DCT.title),
                "publishers": texts(dataset, DCT.publisher),
                "files": sorted(
                    file
                    for distribution in graph.objects(dataset, DCAT.distribution)
                    for file in texts(distribution, DCAT.downloadURL)
                ),
                "licenses": sorted(
                    {
                        license
                        for distribution in graph.objects(dataset, DCAT.distribution)
                        for license in texts(distribution, DCT.license)
                    }
                ),
            }
            for dataset in graph.objects(None, DCAT.dataset)
        },
        "catalogs": [str(subject) for subject in graph.subjects(RDF.type, DCAT.Catalog)],
    }


url = sys.stdin.read().strip()
print(json.dumps({"package": data_package(f"{url}/datapackage.json"), "catalog": catalog(f"{url}/dcat.jsonld")}))
