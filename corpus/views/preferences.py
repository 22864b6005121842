"""Where pages keep how a person wants things shown."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from corpus.access import person
from corpus.domain.preferences import SETTINGS, PreferenceRefused
from corpus.services.preferences import keep_key, keep_settings, restore_keys


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Store the settings that were sent, a key (`shortcut`, `key`), or the default keys (`default_keys`).

    Script is answered 204; a plain form leads back to `next`.
    """
    user = person(request)
    data = request.POST
    try:
        keep_settings(user=user, settings={name: data[name] for name in SETTINGS if name in data})
        if "default_keys" in data:
            restore_keys(user=user)
        elif "shortcut" in data:
            keep_key(user=user, shortcut=data["shortcut"], key=data.get("key", ""))
    except PreferenceRefused as refused:
        return HttpResponse(str(refused), status=422, content_type="text/plain; charset=utf-8")
    back = data.get("next", "")
    hosts = {request.get_host()}
    if not back.startswith("/") or not url_has_allowed_host_and_scheme(
        back, allowed_hosts=hosts, require_https=request.is_secure()
    ):
        return HttpResponse(status=204)
    # Not by name: what was sent is an address, whatever it looks like.
    return HttpResponseRedirect(back)
