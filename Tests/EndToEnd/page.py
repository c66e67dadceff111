"""A reader in a real browser: subscribes on the page at the address given, sees pushes arrive, comes back.

Prints what was seen as one JSON object; what is right is the calling test's to say.
"""
import json
import sys

from playwright.sync_api import sync_playwright

MESSAGES = "#pushes > li"


def messages(page):
    return [item.inner_text() for item in page.query_selector_all(MESSAGES)]


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    context = browser.new_context()
    page = context.new_page()
    seen = {"errors": [], "requests": []}
    page.on("pageerror", lambda error: seen["errors"].append(str(error)))
    page.on("console", lambda message: seen["errors"].append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: seen["requests"].append(request.url))

    page.goto(sys.argv[1])
    page.wait_for_selector("#locale option", state="attached")
    seen["switches"] = page.locator("#categories input[type=checkbox]").count()
    page.select_option("#locale", "French")
    for name in ("Monde", "Sciences"):
        page.get_by_label(name, exact=True).check()
    page.click("#subscribe")
    page.locator(MESSAGES).nth(1).wait_for(timeout=90_000)
    seen["messages"] = messages(page)
    seen["languages"] = sorted({item.get_attribute("lang") for item in page.query_selector_all(MESSAGES)})

    page.reload()
    page.wait_for_selector("#unsubscribe:not([hidden])")
    seen["remembered"] = page.locator("#categories input:checked").count()
    seen["locale"] = page.input_value("#locale")
    count = len(seen["messages"])
    page.locator(MESSAGES).nth(count).wait_for(timeout=90_000)
    seen["afterReload"] = messages(page)
    seen["storage"] = json.dumps(context.storage_state())
    browser.close()

print(json.dumps(seen, ensure_ascii=False))
